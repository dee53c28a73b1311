// The errors in a set of WAV files. format/audio/riff.h has the errors in a single file.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::wav {

using internal::ErrorKind;

// Errors of recordings.
inline constexpr ErrorKind kEmpty{"wav-empty", "at least one sample"};
inline constexpr ErrorKind kOtherChannels{"wav-other-channels", "the channels of the stream"};
inline constexpr ErrorKind kOtherRate{"wav-other-rate", "the sample rate of all files"};

// Errors of the files as a whole.
inline constexpr ErrorKind kRepeatedKey{"wav-repeated-key", "keys that differ"};
inline constexpr ErrorKind kNumericKey{"wav-numeric-key", internal::kNumericKeyExpected};

}  // namespace sheaf::wav
