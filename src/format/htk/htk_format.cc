#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/cntk_settings.h"
#include "format/htk/htk_deserializer.h"
#include "format/htk/htk_list.h"
#include "format/htk/htk_options.h"
#include "format/htk/htk_serializer.h"

namespace sheaf {
namespace {

// A line of Kaldi's lists is a key, blanks, and a path with an offset: "utt1 a.ark:17". A line of
// HTK's lists has an equals sign before any blank, or no blank at all, and the dot or slash of a
// path.
Recognition recognize_htk(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return Recognition::no;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (htk::is_blank_line(line)) continue;
    const std::size_t equals = line.find('=');
    const std::size_t blank = line.find_first_of(" \t");
    const bool has_blank = blank < line.find_last_not_of(" \t\r");
    const bool is_path = !has_blank && line.find_first_of("./") != std::string_view::npos;
    return equals < blank || is_path ? Recognition::possible : Recognition::no;
  }
  return Recognition::possible;
}

constexpr std::array<std::string_view, 2> kReaders = {"HTKDeserializers", "HTKMLFReader"};
constexpr std::array<std::string_view, 2> kModules = {"HTKDeserializers", "Cntk.Deserializers.HTK"};
constexpr std::array<std::string_view, 1> kDeserializers = {"HTKFeatureDeserializer"};
constexpr std::array<CntkFileSetting, 1> kFiles = {{{.name = "scpFile"}}};
constexpr std::array<std::string_view, 1> kDims = {"dim"};
constexpr std::array<CntkSetting, 5> kSettings = {{
    {.name = "prefixPathInSCP",
     .kind = CntkSetting::Kind::text,
     .option = "format_options.htk.prefix"},
    {.name = "maxSequenceSize",
     .kind = CntkSetting::Kind::whole,
     .option = "format_options.htk.max_frames",
     .min = 1},
    {.name = "maxSequenceLength",
     .kind = CntkSetting::Kind::whole,
     .option = "format_options.htk.max_frames",
     .min = 1},
    {.name = "cacheIndex", .reason = "lists with ranges need no index file"},
    internal::kVerbosity,
}};
constexpr CntkStream kCntkStream = {.files = kFiles,
                                    .dims = kDims,
                                    .settings = kSettings,
                                    .type = "real",
                                    .makes_text_keys = true,
                                    .has_context = true};
constexpr CntkNames kCntkNames = {.readers = kReaders,
                                  .modules = kModules,
                                  .deserializers = kDeserializers,
                                  .stream = &kCntkStream};

}  // namespace

Format htk_format();

Format htk_format() {
  static constexpr std::array<std::string_view, 1> kExtensions = {"scp"};
  return {.name = "htk",
          .description = "HTK parameter files, by a list of utterances",
          .extensions = kExtensions,
          .recognize = recognize_htk,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<htk::HtkDeserializer>(request.source, request.options,
                                                          request.context);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<htk::HtkSerializer>(std::move(request));
          },
          .writes_several = true,
          .read_options = htk::kReadOptions,
          .write_options = htk::kWriteOptions,
          .cntk = &kCntkNames};
}

}  // namespace sheaf
