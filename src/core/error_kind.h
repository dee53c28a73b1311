// The kinds of errors in data.

#pragma once

#include <string_view>

namespace sheaf::internal {

/// One kind of error: its code, and the expected data.
struct ErrorKind {
  std::string_view code;
  std::string_view expected;
};

}  // namespace sheaf::internal
