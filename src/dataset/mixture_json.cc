#include "dataset/mixture_json.h"

#include <cstddef>
#include <limits>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/json_text.h"
#include "dataset/json_fields.h"

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

// Numbers are turned into the shortest text that reads back as the same number: 0.35 is "0.35".
std::vector<std::int64_t> weights_of_json(std::span<const Json* const> weights,
                                          const std::string& location, std::string_view field) {
  std::vector<std::string> decimals;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string each = formatted("{}[{}]{}", location, i, field);
    const Json* const weight = weights[i];
    if (weight == nullptr) throw ConfigError(formatted("{}: expected a weight, found none", each));
    if (!weight->is_number() && !weight->is_string()) {
      refuse_json(each, "a number, or a decimal text", *weight);
    }
    decimals.push_back(weight->is_string() ? text_of_json(*weight, each) : weight->dump());
  }
  try {
    return integer_weights(decimals);
  } catch (const ConfigError& error) {
    throw ConfigError(formatted("{}: {}", location, error.what()));
  }
}

std::vector<MixtureStage> schedule_of_json(const Json& json, const std::string& location) {
  if (!json.is_array()) refuse_json(location, "a list of stages", json);
  std::vector<MixtureStage> schedule;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string each = formatted("{}[{}]", location, i);
    JsonFields fields(json[i], each);
    MixtureStage stage;
    fields.whole("from", stage.from, 0,
                 {.min = 1, .max = std::numeric_limits<std::int64_t>::max()});
    const Json* const weights = fields.find("weights");
    fields.check_all_known();
    if (stage.from == 0) {
      throw ConfigError(formatted("{}.from: expected the number of a draw, found none", each));
    }
    if (weights == nullptr || !weights->is_array()) {
      throw ConfigError(formatted("{}.weights: expected a list of weights", each));
    }
    std::vector<const Json*> list;
    for (const Json& weight : *weights) list.push_back(&weight);
    stage.weights = weights_of_json(list, fields.location_of("weights"), "");
    schedule.push_back(std::move(stage));
  }
  return schedule;
}

}  // namespace sheaf::internal
