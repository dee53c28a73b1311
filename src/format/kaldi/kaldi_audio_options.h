// Options of lists and archives of recordings.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/audio/pcm.h"
#include "format/kaldi/kaldi_options.h"

namespace sheaf::kaldi {

/// The checked options of a list or an archive of recordings.
struct AudioOptions {
  ReadOptions common;
  std::optional<std::int64_t> channel_count;  // from the declared shape
  std::optional<std::int64_t> rate;           // nothing: the rate of the first recording
  internal::SampleScale scale = internal::SampleScale::unit;
  std::string segments_path;  // empty if each recording is a sequence
};

/// Returns whether the options include one for recordings only.
[[nodiscard]] bool has_audio_options(const FormatOptions& options);

/// Checks the options. `common` is the result of read_options_of().
///
/// Throws: ConfigError.
[[nodiscard]] AudioOptions audio_options_of(const FormatOptions& options, ReadOptions common);

}  // namespace sheaf::kaldi
