#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/format.h"

#include "format/cbf/cbf_deserializer.h"
#include "format/cbf/cbf_serializer.h"

namespace sheaf {

Format cbf_format();

Format cbf_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"cbf", "bin"};
  return {.name = "cbf",
          .description = "CNTK binary format",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<cbf::CbfDeserializer>(request.source, request.options);
          },
          .create = [](std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                       const SerializerOptions& options) -> std::unique_ptr<Serializer> {
            return std::make_unique<cbf::CbfSerializer>(std::move(sink), streams, options);
          },
          .keeps_keys = false,
          .has_chunks = true};
}

}  // namespace sheaf
