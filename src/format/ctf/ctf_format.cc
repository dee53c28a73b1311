#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/format.h"

#include "format/ctf/ctf_deserializer.h"
#include "format/ctf/ctf_serializer.h"
#include "format/text_format.h"

namespace sheaf {

Format ctf_format();

Format ctf_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"ctf", "txt"};
  return {.name = "ctf",
          .description = "CNTK text format",
          .extensions = kExtensions,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<ctf::CtfDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request));
          },
          .create = [](std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                       const SerializerOptions& options) -> std::unique_ptr<Serializer> {
            return std::make_unique<ctf::CtfSerializer>(std::move(sink), streams, options);
          }};
}

}  // namespace sheaf
