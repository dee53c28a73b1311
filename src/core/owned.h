// Objects that can be moved, and what they own.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sheaf/error.h"

namespace sheaf::internal {

/// Returns what an object owns. `name` says what the object is: "the Reader".
///
/// Throws: InternalError where the object was moved from, and so owns nothing.
template <typename T>
[[nodiscard]] T& owned(const std::unique_ptr<T>& part, std::string_view name) {
  if (part != nullptr) return *part;
  throw InternalError(std::string(name) +
                      " was moved from: it can only be destroyed or assigned to");
}

}  // namespace sheaf::internal
