// Transforms in JSON: the field "transforms" of a spec.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/extend/transform.h"

namespace sheaf::internal {

/// Returns the transforms of a list. Each is an object, or a text as parse_transform() takes it.
///
/// Throws: ConfigError that begins with the place, which `place` begins: "train.json:
///         data.transforms".
[[nodiscard]] std::vector<TransformSpec> transforms_of_json(const nlohmann::ordered_json& list,
                                                            const std::string& place);

/// Returns a list of objects that transforms_of_json() understands. An option whose text is a
/// number in the fewest digits is a number.
[[nodiscard]] nlohmann::ordered_json json_of_transforms(
    const std::vector<TransformSpec>& transforms);

}  // namespace sheaf::internal
