/// \file
/// The syntax of transforms on the command line.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf::cli {

/// The syntax of --transform.
inline constexpr const char* kTransformSyntax = "TYPE[:STREAM+...][:OPTION=VALUE,...]";

/// Returns the transforms of several --transform.
///
/// Throws: ConfigError for an unknown type or option; as parse_transform().
[[nodiscard]] std::vector<TransformSpec> parse_transform_options(
    std::span<const std::string> texts);

/// Returns the types of the library's transforms: "context, delta".
[[nodiscard]] std::string transform_names();

/// Returns the types of the library's transforms, one string each.
[[nodiscard]] std::vector<std::string> transform_words();

}  // namespace sheaf::cli
