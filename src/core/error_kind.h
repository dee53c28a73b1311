// What can be wrong with data.

#pragma once

#include <string_view>

namespace sheaf::internal {

/// One kind of wrong place: its code, and what is expected there.
struct ErrorKind {
  std::string_view code;
  std::string_view expected;
};

}  // namespace sheaf::internal
