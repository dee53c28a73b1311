#include "sheaf/extend/transform_list.h"

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/option_values.h"
#include "transform/transform_types.h"

namespace sheaf {
void check_transform(const TransformSpec& spec) {
  try {
    const TransformType* const type = internal::transform_type(spec.type);
    if (type == nullptr) throw ConfigError(internal::unknown_transform_type(spec.type));
    const TransformRequest request{.options = spec.options};
    const internal::OptionValues options(*type, request);
    if (spec.type == kFunctionTransform && options.text("name").empty()) {
      throw ConfigError("name is needed: under which the program gives the transform");
    }
  } catch (const ConfigError& error) {
    throw ConfigError(formatted("transform \"{}\": {}", to_string(spec), error.what()));
  }
}

TransformSpec named_transform(std::string_view text) {
  TransformSpec spec = parse_transform(text);
  check_transform(spec);
  return spec;
}

}  // namespace sheaf
