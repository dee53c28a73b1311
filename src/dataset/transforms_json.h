// Reads and writes transforms in JSON: the field "transforms" of a spec.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Returns the transforms of a list. Each element is an object, or a text for parse_transform().
///
/// Throws: ConfigError that begins with `location`, such as "train.json: data.transforms".
[[nodiscard]] std::vector<TransformSpec> transforms_of_json(const nlohmann::ordered_json& list,
                                                            const std::string& location);

/// Returns a list of objects that transforms_of_json() reads. An option is written as a number if
/// its text is the shortest text of this number.
[[nodiscard]] nlohmann::ordered_json json_of_transforms(
    const std::vector<TransformSpec>& transforms);

}  // namespace sheaf::internal
