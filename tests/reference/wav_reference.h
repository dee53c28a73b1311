// A slow parser of WAV files that follows docs/formats/wav.md literally. Shares no code with
// src/format/wav and src/format/audio.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a file named `memory`.
[[nodiscard]] ReferenceResult parse_wav(std::string_view bytes, const FormatOptions& options);

/// Returns the end of the samples of a file, or 0 if no samples are read.
[[nodiscard]] std::int64_t wav_data_end(std::string_view bytes);

}  // namespace sheaf::conformance
