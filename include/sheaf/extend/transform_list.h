/// \file
/// The transforms that specs, the command and Python may name.

#pragma once

#include <string_view>

#include "sheaf/extend/transform.h"

namespace sheaf {

/// The type of a transform that the program gives. Its only option, `name`, is the name under which
/// the program gives the transform.
inline constexpr std::string_view kFunctionTransform = "function";

/// Checks that the type is one of builtin_transforms() or kFunctionTransform, and that the type has
/// the options.
///
/// Throws: ConfigError that names the transform and suggests the nearest known name.
void check_transform(const TransformSpec& spec);

/// Parses a text as parse_transform() does, and checks the transform.
///
/// Throws: as parse_transform() and check_transform().
[[nodiscard]] TransformSpec named_transform(std::string_view text);

}  // namespace sheaf
