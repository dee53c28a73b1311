#include "transform/transform_types.h"

#include <algorithm>
#include <span>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/nearest.h"
#include "sheaf/extend/transform_list.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr TransformOption kFunctionOptions[] = {
    {.name = "name", .help = "under which the program gives the transform"}};

constexpr TransformType kFunctionType = {.name = kFunctionTransform,
                                         .description = "a transform that the program gives",
                                         .options = kFunctionOptions};

}  // namespace

const TransformType* transform_type(std::string_view name) {
  if (name == kFunctionTransform) return &kFunctionType;
  const std::span<const TransformType> types = builtin_transforms();
  const auto found = std::ranges::find(types, name, &TransformType::name);
  return found == types.end() ? nullptr : &*found;
}

std::string unknown_transform_type(std::string_view name) {
  std::vector<std::string> known = {std::string(kFunctionTransform)};
  for (const TransformType& type : builtin_transforms()) known.emplace_back(type.name);
  std::string text = formatted("there is no type {}", quoted(name));
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return text + formatted("; did you mean \"{}\"?", nearest);
  std::ranges::sort(known);
  std::string_view separator = "; there are ";
  for (const std::string& each : known) {
    text += formatted("{}{}", separator, each);
    separator = ", ";
  }
  return text;
}

}  // namespace sheaf::internal
