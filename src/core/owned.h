// Access to the implementation of movable objects.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sheaf/error.h"

namespace sheaf::internal {

/// Returns the owned implementation of an object. `name` is the object in messages: "the Reader".
///
/// Throws: InternalError if the object was moved from.
template <typename T>
[[nodiscard]] T& owned(const std::unique_ptr<T>& part, std::string_view name) {
  if (part != nullptr) return *part;
  throw InternalError(std::string(name) +
                      " was moved from: it can only be destroyed or assigned to");
}

}  // namespace sheaf::internal
