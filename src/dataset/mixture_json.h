// Reads weights and schedules of mixtures from JSON.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/mixture.h"

namespace sheaf::internal {

/// Returns the weights of members as integers. A weight is a number or a decimal text. Null stands
/// for a member without a weight. Messages name `location`[i]`field`.
///
/// Throws: ConfigError as integer_weights(), and for a member without a weight.
[[nodiscard]] std::vector<std::int64_t> weights_of_json(
    std::span<const nlohmann::ordered_json* const> weights, const std::string& location,
    std::string_view field);

/// Returns the stages of a schedule: [{"from": 1000, "weights": [1, 0.5]}].
///
/// Throws: ConfigError that names the field.
[[nodiscard]] std::vector<MixtureStage> schedule_of_json(const nlohmann::ordered_json& json,
                                                         const std::string& location);

}  // namespace sheaf::internal
