/// \file
/// The objects that Python code has of the library's calls.

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

// The Python objects hold pointers, because the library may keep the calls longer and must release
// them without the GIL.
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

  // Weak, because the exception that answers a call may refer to this object in its traceback.
  std::weak_ptr<UserCall> call;
  std::int64_t description;
  std::shared_ptr<const UserTable> table;
  ChunkRange range;
  std::int64_t sample_count;
  std::shared_ptr<const FunctionInput> input;
  std::shared_ptr<const BatchRequest> batch;
};

/// Returns the error for a damaged file, or a damaged part of a file.
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
