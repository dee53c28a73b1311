// A slow parser of WAV files: docs/formats/wav.md read aloud. Shares no code with src/format/wav
// and src/format/audio.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a file of the name `memory`.
[[nodiscard]] ReferenceResult parse_wav(std::string_view bytes, const FormatOptions& options);

/// Where the samples of a file end; 0 where none of them is read.
[[nodiscard]] std::int64_t wav_data_end(std::string_view bytes);

}  // namespace sheaf::conformance
