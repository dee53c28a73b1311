#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/wav/wav_deserializer.h"
#include "format/wav/wav_options.h"

namespace sheaf {
namespace {

// MP3 files are recognised only by their extension, because their first two bytes are weak
// evidence.
Recognition recognize_wav(std::string_view bytes) {
  for (const std::string_view magic : {"fLaC", "OggS", "NIST_1A\n"}) {
    if (bytes.starts_with(magic)) return Recognition::certain;
  }
  constexpr std::size_t kFormAt = 8;
  const bool is_riff = bytes.starts_with("RIFF") || bytes.starts_with("RIFX");
  if (!is_riff || bytes.size() < kFormAt) return Recognition::no;
  return bytes.substr(kFormAt).starts_with("WAVE") ? Recognition::certain : Recognition::no;
}

}  // namespace

Format wav_format();

Format wav_format() {
  static constexpr std::array<std::string_view, 8> kExtensions = {"wav", "wave", "flac", "ogg",
                                                                  "oga", "opus", "mp3",  "sph"};
  return {.name = "wav",
          .description = "recordings in WAV, FLAC, Ogg, MP3 or SPHERE, a file for each sequence",
          .extensions = kExtensions,
          .recognize = recognize_wav,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<wav::WavDeserializer>(request);
          },
          .opens_paths = true,
          .read_options = wav::kReadOptions};
}

}  // namespace sheaf
