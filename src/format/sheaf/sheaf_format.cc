#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/sheaf/container_deserializer.h"
#include "format/sheaf/container_layout.h"
#include "format/sheaf/container_merge.h"
#include "format/sheaf/container_serializer.h"

namespace sheaf {
namespace {

// Every file begins with the mark.
Recognition recognize_sheaf(std::string_view bytes) {
  const bool is_container = container::has_head_mark(std::as_bytes(std::span(bytes)));
  return is_container ? Recognition::certain : Recognition::no;
}

}  // namespace

Format sheaf_format();

Format sheaf_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"sheaf"};
  return {.name = "sheaf",
          .description = "container of sheaf: compressed columns with checksums",
          .extensions = kExtensions,
          .recognize = recognize_sheaf,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<container::ContainerDeserializer>(request.source,
                                                                      request.options);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<container::ContainerSerializer>(std::move(request));
          },
          .has_chunks = true,
          .keeps_costs = true,
          .stores_units = true,
          .holds_parts = true,
          .merge = container::merge_containers,
          .is_default = true,
          .write_options = container::kWriteOptions};
}

}  // namespace sheaf
