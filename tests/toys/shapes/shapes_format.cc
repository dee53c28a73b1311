#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/format.h"

#include "toys/shapes/shapes_deserializer.h"

namespace sheaf {

Format shapes_format();

Format shapes_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"shapes"};
  return {.name = "shapes",
          .description = "toy: integer arrays of rank 2, each of its own shape",
          .extensions = kExtensions,
          .open = [](std::shared_ptr<const ByteSource> source,
                     const FormatOptions& options) -> std::unique_ptr<Deserializer> {
            return std::make_unique<toys::ShapesDeserializer>(std::move(source), options);
          }};
}

}  // namespace sheaf
