#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/cntk_settings.h"
#include "format/lattice/lattice_deserializer.h"
#include "format/lattice/lattice_options.h"
#include "format/lattice/lattice_serializer.h"
#include "format/lattice/lattice_toc.h"

namespace sheaf {
namespace {

// The first line must be a line of a table, or the path of a table. An incomplete line is no
// evidence.
Recognition recognize_lattice(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return Recognition::no;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // a byte order mark
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = lattice::without_trailing_blanks(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) continue;
    const bool fits = line.ends_with(".toc") || lattice::parse_toc_line(line).fault == nullptr;
    return fits ? Recognition::possible : Recognition::no;
  }
  return Recognition::possible;
}

constexpr std::array<std::string_view, 1> kLatticeTypes = {"LatticeDeserializer"};
constexpr std::array<CntkFileSetting, 1> kLatticeFiles = {{{.name = "latticeIndexFile"}}};
constexpr std::array<CntkFixedOption, 1> kLatticeOptions = {
    {{.name = "lattice.as", .value = "f32"}}};
constexpr std::array<CntkSetting, 3> kLatticeSettings = {{
    {.name = "chunkSizeInBytes",
     .kind = CntkSetting::Kind::whole,
     .option = "chunk_size",
     .min = 1},
    {.name = "cacheIndex", .reason = "a table of contents is an index itself"},
    internal::kVerbosity,
}};
constexpr CntkStream kLatticeStream = {.files = kLatticeFiles,
                                       .options = kLatticeOptions,
                                       .may_be_first = false,
                                       .has_parts = false,
                                       .makes_text_keys = true};
constexpr CntkNames kLatticeNames = {.deserializers = kLatticeTypes,
                                     .has_strict = false,
                                     .settings = kLatticeSettings,
                                     .stream = &kLatticeStream};

}  // namespace

Format lattice_format();

Format lattice_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"toc"};
  return {.name = "lattice",
          .description = "lattices of CNTK, by tables of contents",
          .extensions = kExtensions,
          .recognize = recognize_lattice,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<lattice::LatticeDeserializer>(request.source, request.options,
                                                                  request.context);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<lattice::LatticeSerializer>(std::move(request));
          },
          .writes_several = true,
          .read_options = lattice::kReadOptions,
          .cntk = &kLatticeNames};
}

}  // namespace sheaf
