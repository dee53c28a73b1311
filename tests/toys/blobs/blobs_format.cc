#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "toys/blobs/blobs_deserializer.h"

namespace sheaf {

Format blobs_format();

Format blobs_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"blobs"};
  return {.name = "blobs",
          .description = "toy: opaque bytes, with a check byte each",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<toys::BlobsDeserializer>(request.source, request.options);
          }};
}

}  // namespace sheaf
