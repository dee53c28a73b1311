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

/// The options of a list or an archive of recordings, checked.
struct AudioOptions {
  ReadOptions common;
  std::optional<std::int64_t> channel_count;  // of the declared shape
  std::optional<std::int64_t> rate;           // nothing: that of the first recording
  internal::SampleScale scale = internal::SampleScale::unit;
  std::string segments_path;  // empty: each recording is a sequence
};

/// Returns whether an option is given that only recordings have.
[[nodiscard]] bool has_audio_options(const FormatOptions& options);

/// Checks the options. `common` has what read_options_of() found.
///
/// Throws: ConfigError.
[[nodiscard]] AudioOptions audio_options_of(const FormatOptions& options, ReadOptions common);

}  // namespace sheaf::kaldi
