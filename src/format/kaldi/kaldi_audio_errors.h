// The errors in recordings of Kaldi's lists and archives, and in their segments.

#pragma once

#include "core/error_kind.h"

namespace sheaf::kaldi {

using internal::ErrorKind;

// Errors of recordings.
inline constexpr ErrorKind kOtherChannels{"kaldi-other-channels", "the channels of the stream"};
inline constexpr ErrorKind kOtherRate{"kaldi-other-rate", "the sample rate of all recordings"};
inline constexpr ErrorKind kNoSamples{"kaldi-no-samples", "at least one sample"};
inline constexpr ErrorKind kAudioRange{"kaldi-range", "a recording without a range of rows"};
inline constexpr ErrorKind kNoRecording{"kaldi-other-kind", "a recording"};
inline constexpr ErrorKind kDecoder{"kaldi-decoder", "a file that the command decodes"};
inline constexpr ErrorKind kPickedChannel{"kaldi-channel", "a channel of the file, counted from 1"};

// Errors in a line of a segments file.
inline constexpr ErrorKind kSegmentFields{
    "kaldi-segment", "a key, a recording, a start and an end in seconds, and at most a channel"};
inline constexpr ErrorKind kSegmentTime{"kaldi-segment-time",
                                        "a number of seconds from 0 on, or the end -1"};
inline constexpr ErrorKind kSegmentOrder{"kaldi-segment-time", "an end behind the start"};
inline constexpr ErrorKind kSegmentStart{"kaldi-segment-start", "a start inside the recording"};
inline constexpr ErrorKind kSegmentEnd{
    "kaldi-segment-end", "an end at most half a second behind the end of the recording"};
inline constexpr ErrorKind kSegmentShort{"kaldi-segment-short", "a tenth of a second at least"};
inline constexpr ErrorKind kSegmentChannel{"kaldi-segment-channel",
                                           "a channel of the recording, counted from 0"};
inline constexpr ErrorKind kSegmentRecording{"kaldi-segment-recording",
                                             "a recording that the list has once"};

}  // namespace sheaf::kaldi
