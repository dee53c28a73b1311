/// \file
/// How an operation over all data runs: check(), convert(), stat(), index_data() and others.
///
///     #include "sheaf/check.h"
///
///     sheaf::OperationOptions run;
///     run.threads = 2;
///     run.memory_limit_bytes = std::int64_t{64} << 20;
///     run.progress = [](std::int64_t bytes) { std::cout << "read " << bytes << " bytes\n"; };
///     const sheaf::DataSpec data = {.content = sheaf::FilesSpec{.files = {"train.ctf"}}};
///     std::cout << sheaf::check(data, {.run = run}).sequences << " good sequences\n";

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sheaf/extend/executor.h"

namespace sheaf {

/// Threads, memory and progress of an operation. These options never change the result.
///
/// An InterruptionScope (sheaf/extend/interruption.h) on the calling thread can stop an operation.
/// The exception of the Interruption then reaches the caller.
struct OperationOptions {
  /// How many threads work. Empty means one for each processor. Has no effect if `executor` is
  /// given.
  std::optional<int> threads = {};

  /// The most memory that the operation takes. Empty means no limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// Runs the tasks of the operation. Null means threads that the operation starts itself. Must
  /// outlive the operation.
  Executor* executor = nullptr;

  /// Called from time to time on the calling thread with the number of data bytes processed so far.
  /// At the end, the number is about the total size of the files, or the size of the part
  /// (part_bytes() of sheaf/open.h). An exception of the function ends the operation.
  std::function<void(std::int64_t)> progress = {};
};

}  // namespace sheaf
