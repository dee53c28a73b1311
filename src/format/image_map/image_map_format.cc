#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/cntk_settings.h"
#include "format/image_map/image_map_deserializer.h"
#include "format/image_map/image_map_line.h"
#include "format/image_map/image_map_options.h"

namespace sheaf {
namespace {

constexpr std::array<std::string_view, 6> kImageExtensions = {".jpg",  ".jpeg", ".png",
                                                              ".webp", ".bmp",  ".gif"};

bool has_image_extension(std::string path) {
  for (char& c : path) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::any_of(kImageExtensions,
                             [&](std::string_view end) { return path.ends_with(end); });
}

// The first line that is not blank must have the path of an image and a number. The line may be
// longer than the bytes.
Recognition recognize_image_map(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    if (!image_map::is_blank_line(line)) {
      const image_map::MapLine parsed = image_map::parse_line(line, 0, {});
      const bool is_map = parsed.fault == nullptr && has_image_extension(parsed.path);
      return is_map ? Recognition::certain : Recognition::no;
    }
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return Recognition::no;
}

constexpr std::array<std::string_view, 1> kReaders = {"ImageReader"};
constexpr std::array<std::string_view, 2> kModules = {"ImageReader", "Cntk.Deserializers.Image"};
constexpr std::array<std::string_view, 1> kDeserializers = {"ImageDeserializer"};
constexpr std::array<CntkSetting, 2> kSettings = {{
    {.name = "maxErrors", .kind = CntkSetting::Kind::errors},
    internal::kTraceLevel,
}};
constexpr CntkImages kImages = {.image = "image",
                                .label = "label",
                                .view = "view",
                                .labels = "image_map.labels",
                                .classes = "image_map.classes",
                                .views = "image_map.views",
                                .is_chunk_each = true};
constexpr CntkNames kImageMapNames = {.readers = kReaders,
                                      .modules = kModules,
                                      .deserializers = kDeserializers,
                                      .has_strict = false,
                                      .settings = kSettings,
                                      .images = &kImages};

}  // namespace

Format image_map_format();

Format image_map_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"map"};
  return {.name = "image_map",
          .description = "lines with the path of an image and its class",
          .extensions = kExtensions,
          .recognize = recognize_image_map,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<image_map::ImageMapDeserializer>(request);
          },
          .read_options = image_map::kReadOptions,
          .cntk = &kImageMapNames};
}

}  // namespace sheaf
