/// \file
/// Tells which worker this process is, by the variables that launchers set.
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

/// One of several readers that share a sweep, and who said so.
struct Worker {
  std::int64_t index = 0;  // 0 .. count-1
  std::int64_t count = 1;

  /// The launcher and its variables: "torchrun (RANK=1, WORLD_SIZE=4, LOCAL_RANK=1)"; or "no
  /// launcher".
  std::string source = "no launcher";

  /// Why index and count may be wrong, with the variables. Empty where nothing is doubtful.
  std::string warning = {};
};

/// Returns the value of an environment variable; nothing where the variable is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns the worker that a launcher describes in environment variables; worker 0 of 1 where no
/// launcher does. docs/how-to/distributed.md lists the launchers and their variables.
///
/// Launchers start each other, and the innermost counts: torchrun or Horovod; else MPI, Flux, PALS
/// or jsrun; else a step of Slurm; else SageMaker.
///
/// Throws: ConfigError with the variables and their values, where a number is malformed, where an
///         index is not below its count, where one of the two is missing, where two launchers
///         disagree, and in an interactive shell of several Slurm tasks.
[[nodiscard]] Worker worker(const EnvironmentLookup& environment);

/// The same for the environment of this process.
///
/// Threads: no other thread may change the environment meanwhile.
[[nodiscard]] Worker worker();

}  // namespace sheaf
