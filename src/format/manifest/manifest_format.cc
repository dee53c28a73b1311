#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/manifest/manifest_deserializer.h"
#include "format/manifest/manifest_line.h"
#include "format/manifest/manifest_options.h"

namespace sheaf {
namespace {

// A complete line decides. A line that is cut off must begin with an object, and must name the
// field with the path, or the fields of a cut.
Recognition recognize_manifest(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    if (!manifest::ManifestLines::is_blank(line)) {
      if (!manifest::contents_of(line).fault) return Recognition::certain;
      if (end != std::string_view::npos) return Recognition::no;
      const auto has = [&](std::string_view text) {
        return line.find(text) != std::string_view::npos;
      };
      const bool is_object = line[line.find_first_not_of(" \t\r")] == '{';
      const bool is_cut = has("\"id\"") && has("\"start\"") && has("\"duration\"");
      const bool is_likely = has("\"audio_filepath\"") || has("\"audio_filename\"") || is_cut;
      return is_object && is_likely ? Recognition::possible : Recognition::no;
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return Recognition::no;
}

}  // namespace

Format manifest_format();

Format manifest_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"jsonl", "json"};
  return {.name = "manifest",
          .description = "JSON Lines of NeMo and lhotse that name recordings or features",
          .extensions = kExtensions,
          .recognize = recognize_manifest,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<manifest::ManifestDeserializer>(request);
          },
          .read_options = manifest::kReadOptions};
}

}  // namespace sheaf
