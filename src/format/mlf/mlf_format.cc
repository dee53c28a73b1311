#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/cntk_settings.h"
#include "format/mlf/mlf_binary.h"
#include "format/mlf/mlf_deserializer.h"
#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_serializer.h"
#include "format/text/text_format.h"

namespace sheaf {
namespace {

constexpr std::string_view kMlfMark = "#!MLF!#";

// The first line of a text that is not blank has the mark.
Recognition recognize_mlf(std::string_view bytes) {
  if (mlf::is_binary(bytes) && mlf::binary_version(bytes) > 0) return Recognition::certain;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Recognition::no;
  return bytes.substr(first).starts_with(kMlfMark) ? Recognition::certain : Recognition::no;
}

constexpr std::array<std::string_view, 2> kMlfReaders = {"HTKDeserializers", "HTKMLFReader"};
constexpr std::array<std::string_view, 2> kMlfModules = {"HTKDeserializers",
                                                         "Cntk.Deserializers.HTK"};
constexpr std::array<std::string_view, 1> kMlfDeserializers = {"HTKMLFDeserializer"};
constexpr std::array<CntkFileSetting, 2> kMlfFiles = {
    {{.name = "mlfFile"}, {.name = "mlfFileList", .kind = CntkFileSetting::Kind::list}}};
constexpr std::array<std::string_view, 2> kMlfDims = {"labelDim", "dim"};
constexpr std::array<CntkSetting, 2> kMlfStreamSettings = {{
    {.name = "labelMappingFile",
     .kind = CntkSetting::Kind::path,
     .option = "format_options.mlf.states"},
    {.name = "phoneBoundaries",
     .kind = CntkSetting::Kind::truth,
     .option = "format_options.mlf.phone_boundaries",
     .if_true = "true",
     .if_false = "false",
     .needs_sequences = true},
}};
constexpr std::array<CntkSetting, 3> kMlfSettings = {{
    {.name = "chunkSizeInBytes",
     .kind = CntkSetting::Kind::whole,
     .option = "chunk_size",
     .min = 1},
    {.name = "cacheIndex",
     .kind = CntkSetting::Kind::truth,
     .option = "index",
     .if_true = "auto",
     .if_false = "off"},
    internal::kVerbosity,
}};
constexpr CntkStream kMlfStream = {.files = kMlfFiles,
                                   .dims = kMlfDims,
                                   .settings = kMlfStreamSettings,
                                   .storage = Storage::sparse,
                                   .type = "category",
                                   .may_be_first = false,
                                   .makes_text_keys = true};
constexpr CntkNames kMlfNames = {.readers = kMlfReaders,
                                 .modules = kMlfModules,
                                 .deserializers = kMlfDeserializers,
                                 .has_strict = false,
                                 .settings = kMlfSettings,
                                 .stream = &kMlfStream};

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
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<mlf::MlfSerializer>(std::move(request));
          },
          .needs_previous = true,
          .read_options = mlf::kReadOptions,
          .write_options = mlf::kWriteOptions,
          .cntk = &kMlfNames};
}

}  // namespace sheaf
