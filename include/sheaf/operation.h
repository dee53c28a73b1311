/// \file
/// How an operation over whole data runs: check(), convert() and stat().
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

/// Options that never change the result of an operation.
///
/// The calling thread asks check_interruption() of sheaf/extend/interruption.h during an operation.
/// An Interruption that throws ends the operation, and the caller gets the exception.
struct OperationOptions {
  std::optional<int> threads = {};  // empty: one for each processor; no effect beside `executor`
  std::optional<std::int64_t> memory_limit_bytes = {};
  Executor* executor = nullptr;  // null means threads of the operation itself

  /// Called now and then on the caller's thread, with the number of bytes of the data that are
  /// done. An exception of the function ends the operation.
  std::function<void(std::int64_t)> progress = {};
};

}  // namespace sheaf
