// The transform types that a spec may name.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Returns the description of a type of builtin_transforms(), or of kFunctionTransform. Returns
/// null for other types.
[[nodiscard]] const TransformType* transform_type(std::string_view name);

/// Returns a message about an unknown type, with the nearest known name.
[[nodiscard]] std::string unknown_transform_type(std::string_view name);

}  // namespace sheaf::internal
