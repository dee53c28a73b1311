/// \file
/// The transforms that specs, the command and Python may name.

#pragma once

#include <string_view>

#include "sheaf/extend/transform.h"

namespace sheaf {

/// The type of a transform that the program provides. Its only option, `name`, is a name of
/// OpenContext::functions.
inline constexpr std::string_view kFunctionTransform = "function";

/// Checks that the type is kFunctionTransform or one of builtin_transforms(), and that the type has
/// the options.
///
/// Throws: ConfigError that names the transform and suggests the nearest known name.
void check_transform(const TransformSpec& spec);

/// Parses a text as parse_transform() does, and checks the transform.
///
/// Throws: as parse_transform() and check_transform().
[[nodiscard]] TransformSpec named_transform(std::string_view text);

}  // namespace sheaf
