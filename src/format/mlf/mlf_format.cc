#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/mlf/mlf_deserializer.h"
#include "format/mlf/mlf_options.h"
#include "format/text/text_format.h"

namespace sheaf {
namespace {

constexpr std::string_view kMlfMark = "#!MLF!#";

// The mark is on the first line that is not blank.
Recognition recognize_mlf(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Recognition::no;
  return bytes.substr(first).starts_with(kMlfMark) ? Recognition::certain : Recognition::no;
}

}  // namespace

Format mlf_format();

Format mlf_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"mlf"};
  return {.name = "mlf",
          .description = "HTK master label file",
          .extensions = kExtensions,
          .recognize = recognize_mlf,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<mlf::MlfDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request),
                std::dynamic_pointer_cast<const mlf::MlfDeserializer>(request.previous));
          },
          .read_options = mlf::kReadOptions};
}

}  // namespace sheaf
