#include "options/transform_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sheaf/error.h"
#include "sheaf/extend/transform_list.h"

namespace sheaf::cli {

std::vector<TransformSpec> parse_transform_options(std::span<const std::string> texts) try {
  std::vector<TransformSpec> transforms;
  for (const std::string& text : texts) {
    transforms.push_back(named_transform(text));
    if (transforms.back().type != kFunctionTransform) continue;
    throw ConfigError(fmt::format(
        "transform \"{}\": the command has no functions: only a program gives them", text));
  }
  return transforms;
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("--transform: {}", error.what()));
}

std::string transform_names() { return fmt::format("{}", fmt::join(transform_words(), ", ")); }

std::vector<std::string> transform_words() {
  std::vector<std::string> words;
  for (const TransformType& type : builtin_transforms()) words.emplace_back(type.name);
  return words;
}

}  // namespace sheaf::cli
