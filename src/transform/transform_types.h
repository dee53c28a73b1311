// The types of transforms that a spec may name.

#pragma once

#include <string>
#include <string_view>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Returns the row of a type of builtin_transforms(), or of kFunctionTransform; null for other
/// types.
[[nodiscard]] const TransformType* transform_type(std::string_view name);

/// Returns what is wrong with the name of a type that there is not, with the nearest name.
[[nodiscard]] std::string unknown_transform_type(std::string_view name);

}  // namespace sheaf::internal
