/// \file
/// How an operation over whole data runs: check(), convert(), stat(), index_data() and others.
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
/// An InterruptionScope of sheaf/extend/interruption.h on the calling thread can stop an operation:
/// the exception of the Interruption ends the operation and reaches the caller.
struct OperationOptions {
  /// How many threads work. Empty means one for each processor. Has no effect where `executor` is
  /// given.
  std::optional<int> threads = {};

  /// The most memory of the operation. Empty means no limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// Runs the tasks of the operation. Null means threads that the operation starts itself. Must
  /// outlive the operation.
  Executor* executor = nullptr;

  /// Called now and then on the calling thread, with the number of bytes of the data that are
  /// processed so far: at the end, about the sum of the sizes of the files. An exception of the
  /// function ends the operation.
  std::function<void(std::int64_t)> progress = {};
};

}  // namespace sheaf
