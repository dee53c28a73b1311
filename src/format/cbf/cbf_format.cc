#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_deserializer.h"
#include "format/cbf/cbf_options.h"
#include "format/cbf/cbf_serializer.h"
#include "format/cntk_settings.h"

namespace sheaf {
namespace {

// Every file begins with the magic number.
Recognition recognize_cbf(std::string_view bytes) {
  if (bytes.size() < sizeof cbf::kMagic) return Recognition::no;
  const auto magic = cbf::load<std::uint64_t>(reinterpret_cast<const std::byte*>(bytes.data()));
  return magic == cbf::kMagic ? Recognition::certain : Recognition::no;
}

constexpr std::string_view kFileSaysIt = "a CBF file says it itself";

constexpr std::array<CntkSetting, 9> kCbfSettings = {{
    {.name = "skipSequenceIds", .reason = kFileSaysIt},
    {.name = "chunkSizeInBytes", .reason = kFileSaysIt},
    {.name = "cacheIndex", .reason = kFileSaysIt},
    {.name = "maxErrors", .reason = "CNTK tolerates no error in a CBF file"},
    internal::kTraceLevel,
    internal::kVerbosity,
    internal::kPrefetch,
    internal::kNumChunksToCache,
    internal::kKeepDataInMemory,
}};

constexpr std::array<std::string_view, 1> kCbfReaders = {"CNTKBinaryReader"};
constexpr std::array<std::string_view, 1> kCbfModules = {"Cntk.Deserializers.Binary"};
constexpr std::array<std::string_view, 1> kCbfDeserializers = {"CNTKBinaryFormatDeserializer"};
constexpr CntkNames kCbfNames = {.readers = kCbfReaders,
                                 .modules = kCbfModules,
                                 .deserializers = kCbfDeserializers,
                                 .declares_streams = false,
                                 .has_strict = false,
                                 .has_frame_mode = false,
                                 .settings = kCbfSettings};

}  // namespace

Format cbf_format();

Format cbf_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"cbf", "bin"};
  return {.name = "cbf",
          .description = "CNTK binary format",
          .extensions = kExtensions,
          .recognize = recognize_cbf,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<cbf::CbfDeserializer>(request.source, request.options);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<cbf::CbfSerializer>(std::move(request.sink), request.streams,
                                                        request.options);
          },
          .keeps_keys = false,
          .has_chunks = true,
          .read_options = cbf::kReadOptions,
          .write_options = cbf::kWriteOptions,
          .cntk = &kCbfNames};
}

}  // namespace sheaf
