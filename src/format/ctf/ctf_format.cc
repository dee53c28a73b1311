#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/cntk_settings.h"
#include "format/ctf/ctf_deserializer.h"
#include "format/ctf/ctf_options.h"
#include "format/ctf/ctf_serializer.h"
#include "format/text/text_format.h"

namespace sheaf {
namespace {

// A row of CTF has items such as `|name`. Comments may hold any byte.
Recognition recognize_ctf(std::string_view bytes) {
  const bool is_blank = bytes.find_first_not_of(" \t\r\n") == std::string_view::npos;
  const bool has_item = bytes.find('|') != std::string_view::npos;
  return is_blank || has_item ? Recognition::possible : Recognition::no;
}

constexpr std::array<CntkSetting, 9> kCtfSettings = {{
    {.name = "skipSequenceIds", .kind = CntkSetting::Kind::truth, .option = "skip_sequence_ids"},
    {.name = "chunkSizeInBytes",
     .kind = CntkSetting::Kind::whole,
     .option = "chunk_size",
     .min = 1,
     .max = std::int64_t{1} << 40},
    {.name = "cacheIndex",
     .kind = CntkSetting::Kind::truth,
     .option = "index",
     .if_true = "auto",
     .if_false = "off"},
    {.name = "maxErrors", .kind = CntkSetting::Kind::errors},
    internal::kTraceLevel,
    internal::kVerbosity,
    internal::kPrefetch,
    internal::kNumChunksToCache,
    internal::kKeepDataInMemory,
}};

constexpr std::array<std::string_view, 1> kCtfReaders = {"CNTKTextFormatReader"};
constexpr std::array<std::string_view, 1> kCtfModules = {"Cntk.Deserializers.TextFormat"};
constexpr std::array<std::string_view, 1> kCtfDeserializers = {"CNTKTextFormatDeserializer"};
constexpr CntkNames kCtfNames = {.readers = kCtfReaders,
                                 .modules = kCtfModules,
                                 .deserializers = kCtfDeserializers,
                                 .settings = kCtfSettings};

}  // namespace

Format ctf_format();

Format ctf_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"ctf", "txt"};
  return {.name = "ctf",
          .description = "CNTK text format",
          .extensions = kExtensions,
          .recognize = recognize_ctf,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<ctf::CtfDeserializer>(
                request.source, request.options, request.context, internal::found_earlier(request));
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<ctf::CtfSerializer>(std::move(request.sink), request.streams,
                                                        request.options);
          },
          .write_options = ctf::kWriteOptions,
          .cntk = &kCtfNames};
}

}  // namespace sheaf
