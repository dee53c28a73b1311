#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_deserializer.h"
#include "format/kaldi/kaldi_line.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_rspecifier.h"
#include "format/kaldi/kaldi_serializer.h"

namespace sheaf {
namespace {

using kaldi::file_of_rspecifier;
using kaldi::kRspecifiers;

// Returns whether a line may belong to a list. Rows of other texts do not name paths: CTF has a bar
// before a name, and LibSVM has pairs of numbers.
bool is_listed(std::string_view line) {
  const kaldi::ListedObject object = kaldi::parse_line(line);
  const bool is_path = object.path.find_first_of("./") != std::string_view::npos ||
                       (object.offset_bytes > 0 &&
                        object.path.find_first_not_of("0123456789") != std::string_view::npos);
  return object.fault == nullptr && is_path && object.path.find(':') == std::string_view::npos &&
         object.key.find_first_of("|#=") == std::string_view::npos;
}

// An archive of binary objects has a mark that no other format has. A line of a list has a key, a
// blank and a path. HTK's lists have an equals sign before any blank, or no blank.
Recognition recognize_kaldi(std::string_view bytes) {
  constexpr std::string_view kBefore(" \t\r\n\0", 5);
  constexpr std::string_view kMark("\0B", 2);
  const std::size_t first = bytes.find_first_not_of(kBefore);
  if (first == std::string_view::npos) return Recognition::no;
  bytes.remove_prefix(first);
  const std::size_t blank = bytes.find_first_of(" \t\r\n");
  if (blank == std::string_view::npos) return Recognition::no;
  if (bytes.substr(blank + 1).starts_with(kMark)) return Recognition::certain;
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const bool has_zero = line.find('\0') != std::string_view::npos;
  return !has_zero && is_listed(line) ? Recognition::possible : Recognition::no;
}

constexpr std::array<std::string_view, 1> kReaders = {"Kaldi2Reader"};
constexpr std::array<CntkFileSetting, 1> kFeatureFiles = {
    {{.name = "rx",
      .kind = CntkFileSetting::Kind::specifier,
      .path_of = file_of_rspecifier,
      .lines = kRspecifiers}}};
constexpr std::array<std::string_view, 1> kFeatureDims = {"dim"};
constexpr std::array<CntkSetting, 2> kFeatureSettings = {{
    {.name = "scpFile", .reason = "the heads of the objects say which utterances there are"},
    {.name = "featureTransform",
     .kind = CntkSetting::Kind::fixed,
     .if_true = "NO_FEATURE_TRANSFORM",
     .reason = "sheaf applies no networks of Kaldi: name features that are transformed already"},
}};
constexpr CntkStream kFeatures = {.files = kFeatureFiles,
                                  .mark = "scpFile",
                                  .dims = kFeatureDims,
                                  .settings = kFeatureSettings,
                                  .type = "real",
                                  .makes_text_keys = true,
                                  .has_context = true};
constexpr std::array<CntkFileSetting, 1> kLabelFiles = {{{.name = "mlfFile",
                                                          .kind = CntkFileSetting::Kind::specifier,
                                                          .path_of = file_of_rspecifier,
                                                          .lines = kRspecifiers}}};
constexpr std::array<std::string_view, 2> kLabelDims = {"labelDim", "dim"};
constexpr std::array<CntkSetting, 1> kLabelSettings = {{
    {.name = "labelMappingFile", .reason = "posteriors have the numbers of the classes"},
}};
constexpr std::array<CntkFixedOption, 1> kLabelOptions = {
    {{.name = "kaldi.as", .value = "posteriors"}}};
constexpr CntkStream kLabels = {.files = kLabelFiles,
                                .dims = kLabelDims,
                                .settings = kLabelSettings,
                                .options = kLabelOptions,
                                .storage = Storage::sparse,
                                .type = "category",
                                .may_be_first = false,
                                .makes_text_keys = true};
constexpr CntkNames kCntkNames = {
    .readers = kReaders, .stream = &kFeatures, .second_stream = &kLabels};

}  // namespace

Format kaldi_format();

Format kaldi_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"ark", "scp"};
  return {.name = "kaldi",
          .description = "Kaldi archives, and lists of their objects",
          .extensions = kExtensions,
          .recognize = recognize_kaldi,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return kaldi::open_kaldi(request);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<kaldi::KaldiSerializer>(std::move(request));
          },
          .writes_several = true,
          .read_options = kaldi::kReadOptions,
          .write_options = kaldi::kWriteOptions,
          .cntk = &kCntkNames};
}

}  // namespace sheaf
