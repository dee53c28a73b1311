// Options of recordings.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/audio/audio_options.h"
#include "format/audio/pcm.h"

namespace sheaf::wav {

inline constexpr std::array<std::string_view, 3> kKeysValues = {"stem", "name", "path"};
inline constexpr FormatOption kKeysOption = {
    "wav.keys", kKeysValues,
    "the key of a file: its name without extension, its name, or its path"};
inline constexpr FormatOption kRateOption = {
    "wav.rate", internal::kSampleRateValues,
    "the sample rate that all files must have; first: the rate of the first file", true};
inline constexpr FormatOption kScaleOption = {
    "wav.scale", internal::kSampleScaleValues,
    "values from -1 to 1, or from -32768 to 32767 as in Kaldi"};
inline constexpr std::array kReadOptions = {kKeysOption, kRateOption, kScaleOption};

/// The bytes of a delivered value.
inline constexpr std::int64_t kValueSize = sizeof(float);

/// The extensions of recordings that libsndfile decodes, in lower case.
inline constexpr std::array<std::string_view, 6> kSoundExtensions = {"flac", "ogg", "oga",
                                                                     "opus", "mp3", "sph"};

/// The part of a path that is the key.
enum class KeyPart : std::uint8_t { stem, name, path };

/// The checked options of a set of WAV files.
struct ReadOptions {
  Stream stream;                              // without a shape unless it is declared
  std::optional<std::int64_t> channel_count;  // from the declared shape
  std::optional<std::int64_t> rate;           // nothing: the rate of the first file
  KeyPart key_part = KeyPart::stem;
  internal::SampleScale scale = internal::SampleScale::unit;
  bool has_text_keys = true;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
};

/// Checks the options.
///
/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

/// Returns the text of the key of a file.
///
/// Lifetime: that of the path.
[[nodiscard]] std::string_view key_of_path(std::string_view path, KeyPart part) noexcept;

/// Returns whether the extension of a path is one of kSoundExtensions, in upper or lower case.
[[nodiscard]] bool is_sound_path(std::string_view path) noexcept;

}  // namespace sheaf::wav
