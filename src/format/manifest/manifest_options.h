// Options of manifests.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/audio/audio_options.h"
#include "format/audio/pcm.h"
#include "format/manifest/manifest_line.h"

namespace sheaf::manifest {

inline constexpr std::array<std::string_view, 3> kReadValues = {"auto", "audio", "features"};
inline constexpr FormatOption kReadOption = {
    "manifest.read", kReadValues,
    "what undeclared streams have besides texts; auto: features where the first line has some, "
    "else audio"};
inline constexpr std::array<std::string_view, 2> kFieldsValues = {"none", "NAMES"};
inline constexpr FormatOption kFieldsOption = {
    "manifest.fields", kFieldsValues,
    "more fields that become undeclared streams, with commas between the names", true};
inline constexpr std::array<std::string_view, 2> kKeysValues = {"auto", "FIELD"};
inline constexpr FormatOption kKeysOption = {
    "manifest.keys", kKeysValues,
    "the field with the key; auto: the id of a cut, and the path of an utterance of NeMo, with "
    "@OFFSET where the utterance begins later than the file",
    true};
inline constexpr FormatOption kRateOption = {
    "manifest.rate", internal::kSampleRateValues,
    "the sample rate that all recordings must have; first: the rate of the first one", true};
inline constexpr FormatOption kScaleOption = {
    "manifest.scale", internal::kSampleScaleValues,
    "audio from -1 to 1, or from -32768 to 32767 as in Kaldi"};
inline constexpr std::array kReadOptions = {kReadOption, kFieldsOption, kKeysOption, kRateOption,
                                            kScaleOption};

/// The bytes of a delivered value of audio or features.
inline constexpr std::int64_t kValueSize = sizeof(float);

/// The checked options of a manifest.
struct ReadOptions {
  std::vector<Stream> streams;  // audio and features have no shape unless it is declared
  std::optional<std::size_t> sample_stream;  // number of the stream of audio or features
  std::vector<std::size_t> text_streams;     // numbers of streams, by rules.text_fields
  LineRules rules;

  std::optional<std::int64_t> dim;   // from the declared shape of audio or features
  std::optional<std::int64_t> rate;  // nothing: the rate of the first file
  internal::SampleScale scale = internal::SampleScale::unit;
  bool has_text_keys = true;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;

  /// Returns the number of samples of a sequence that has `of_samples` samples of audio or
  /// features.
  [[nodiscard]] std::int64_t sample_count(std::int64_t of_samples) const noexcept;
};

/// Returns the first line of a manifest that is not blank, without its LF.
///
/// Throws: DataError if there is none, or if it is longer than 64 MiB; IoError.
[[nodiscard]] std::string first_line_of(const ByteSource& manifest, std::int64_t read_size_bytes);

/// Checks the options.
///
/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options,
                                          const LineContents& first_line);

}  // namespace sheaf::manifest
