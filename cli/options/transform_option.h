/// \file
/// Transforms as the command line says them.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf::cli {

/// How --transform is written.
inline constexpr const char* kTransformSyntax = "TYPE[:STREAM+...][:OPTION=VALUE,...]";

/// Returns what several --transform say.
///
/// Throws: ConfigError for an unknown type or option; as parse_transform().
[[nodiscard]] std::vector<TransformSpec> parse_transform_options(
    std::span<const std::string> texts);

/// Returns the types of the library: "context, delta".
[[nodiscard]] std::string transform_names();

/// Returns the types of the library, each as one word.
[[nodiscard]] std::vector<std::string> transform_words();

}  // namespace sheaf::cli
