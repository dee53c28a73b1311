#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "toys/shapes/shapes_deserializer.h"

namespace sheaf {

Format shapes_format();

Format shapes_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"shapes"};
  return {.name = "shapes",
          .description = "toy: integer arrays of rank 2, each of its own shape",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<toys::ShapesDeserializer>(request.source, request.options);
          }};
}

}  // namespace sheaf
