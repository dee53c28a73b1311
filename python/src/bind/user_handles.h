/// \file
/// What Python has of the calls of the library to code of Python.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/counts.h"

#include "user/user_calls.h"
#include "user/user_function.h"
#include "user/user_table.h"

namespace sheaf::python {

// What Python has of these: the library may have them for longer, and must not need the GIL to let
// go of them.
struct Calls {
  std::shared_ptr<UserCalls> calls;
};
struct Call {
  explicit Call(const std::shared_ptr<UserCall>& asked)
      : call(asked),
        description(asked->description),
        table(asked->table),
        range(asked->range),
        sample_count(asked->sample_count),
        input(asked->input),
        batch(asked->batch) {}

  // As long as anybody waits: an exception that answers it may lead here, by its traceback.
  std::weak_ptr<UserCall> call;
  std::int64_t description;
  std::shared_ptr<const UserTable> table;
  ChunkRange range;
  std::int64_t sample_count;
  std::shared_ptr<const FunctionInput> input;
  std::shared_ptr<const BatchRequest> batch;
};

/// Returns the error of a file, or a part of one, that is damaged.
[[nodiscard]] inline DataError damage_of(const std::string& path, std::int64_t byte_offset,
                                         const std::string& code, const std::string& expected,
                                         const std::string& found) {
  return DataError({{.path = path,
                     .byte_offset = byte_offset,
                     .code = code,
                     .expected = expected,
                     .found = found}});
}

}  // namespace sheaf::python
