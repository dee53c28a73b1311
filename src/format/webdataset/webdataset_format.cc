#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/webdataset/webdataset_deserializer.h"
#include "format/webdataset/webdataset_options.h"
#include "format/webdataset/webdataset_serializer.h"

namespace sheaf {
namespace {

Recognition recognize_webdataset(std::string_view bytes) {
  constexpr std::size_t kMagicAt = 257;
  if (bytes.size() < kMagicAt) return Recognition::no;
  return bytes.substr(kMagicAt).starts_with("ustar") ? Recognition::certain : Recognition::no;
}

}  // namespace

Format webdataset_format();

Format webdataset_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"tar"};
  return {.name = "webdataset",
          .description = "tar shards of WebDataset, whose entries are images, labels and texts",
          .extensions = kExtensions,
          .recognize = recognize_webdataset,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<webdataset::WebdatasetDeserializer>(request);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<webdataset::WebdatasetSerializer>(std::move(request));
          },
          .opens_paths = true,
          .read_options = webdataset::kReadOptions,
          .write_options = webdataset::kWriteOptions};
}

}  // namespace sheaf
