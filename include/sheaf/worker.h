/// \file
/// Finds out which worker this process is, from the environment variables that launchers set.
///
///     const auto environment = [](const std::string& name) -> std::optional<std::string> {
///       if (name == "OMPI_COMM_WORLD_RANK") return "1";
///       if (name == "OMPI_COMM_WORLD_SIZE") return "4";
///       return std::nullopt;
///     };
///     const sheaf::Worker worker = sheaf::worker(environment);  // sheaf::worker() asks the system
///     std::cout << worker.index << " of " << worker.count << ", by " << worker.source << '\n';

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sheaf {

/// One of several readers that share a sweep, and the source of this information.
struct Worker {
  std::int64_t index = 0;  // 0 .. count-1
  std::int64_t count = 1;

  /// The launcher and its variables, "torchrun (RANK=1, WORLD_SIZE=4, LOCAL_RANK=1)", or
  /// "no launcher".
  std::string source = "no launcher";

  /// Why index and count may be wrong, with the variables. Empty if there is no doubt.
  std::string warning = {};
};

/// Returns the value of an environment variable; nothing if the variable is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the worker that a launcher describes in environment variables; worker 0 of 1 if there is
/// no launcher. docs/how-to/distributed.md lists the launchers and their variables.
///
/// If launchers start each other, the innermost counts. The order is torchrun or Horovod; then MPI,
/// Flux, PALS or jsrun; then a step of Slurm; then SageMaker.
///
/// Throws: ConfigError with the variables and their values if a number is malformed; if an index is
///         not below its count; if one of the two is missing; if two launchers disagree; or in an
///         interactive shell of several Slurm tasks.
[[nodiscard]] Worker worker(const EnvironmentLookup& environment);

/// The same for the environment of this process.
///
/// Threads: no other thread may change the environment during the call.
[[nodiscard]] Worker worker();

}  // namespace sheaf
