// The errors in lists of HTK files, and in the files.

#pragma once

#include <cstdint>
#include <string>

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::htk {

using internal::ErrorKind;

// Errors of the whole list.
inline constexpr ErrorKind kNoList{"htk-list", "a list of HTK files, one utterance a line"};
inline constexpr ErrorKind kNoUtterance{"htk-empty", "at least one utterance"};
inline constexpr ErrorKind kRepeatedKey{"htk-repeated-key", "keys that differ"};
inline constexpr ErrorKind kTooLong{"htk-long", "utterances of at most htk.max_frames frames"};
inline constexpr ErrorKind kIndexFile{"htk-index-file", ""};

// Errors in one line of the list.
inline constexpr ErrorKind kNoKey{"htk-key", "a name before the last dot of the logical name"};
inline constexpr ErrorKind kNumericKey{"htk-numeric-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kNoPath{"htk-path", "the path of a file"};
inline constexpr ErrorKind kRange{"htk-range", "a range [first,last] of frame numbers at the end"};
inline constexpr ErrorKind kRangeOrder{"htk-range-order",
                                       "a first frame that is not behind the last one"};
inline constexpr ErrorKind kMissingFile{"htk-missing-file", "a file that is there"};
inline constexpr ErrorKind kBeyond{"htk-range-end", "a range within the file"};
inline constexpr ErrorKind kChanged{"htk-changed", "as many frames as when the list was indexed"};

// Errors in the header of a file.
inline constexpr ErrorKind kNoHeader{"htk-header", "a header of 12 bytes"};
inline constexpr ErrorKind kNoGuid{"htk-header", "a GUID of 16 bytes behind the header"};
inline constexpr ErrorKind kNoScales{"htk-header", "the scales of compressed values"};
inline constexpr ErrorKind kNoFrames{"htk-frame-count", "at least one frame"};
inline constexpr ErrorKind kFrameSize{"htk-frame-size", "a frame size of whole values"};
inline constexpr ErrorKind kKind{
    "htk-kind", "a parameter kind of float vectors: 1 to 4, 6 to 9, 11 or 12, without _V"};
inline constexpr ErrorKind kOtherKind{"htk-other-kind", "the parameter kind of the first file"};
inline constexpr ErrorKind kOtherDim{"htk-other-dim", "frames of the dim of the stream"};
inline constexpr ErrorKind kOtherPeriod{"htk-other-period", "the frame period of the first file"};

// Errors in the frames of a file.
inline constexpr ErrorKind kCut{"htk-cut", "the bytes of all frames of the range"};
inline constexpr ErrorKind kChecksum{"htk-checksum", "the checksum of the frames"};
inline constexpr ErrorKind kLabel{"htk-label", "a whole number in the range of the labels"};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{
    "htk-key", "a key that is not empty, without =, ..., line ends and bytes of value 0"};
inline constexpr ErrorKind kWrittenFrames{"htk-frame-count", "at least one frame"};
inline constexpr ErrorKind kManyFrames{"htk-frame-count", "at most 2147483647 frames in a file"};
inline constexpr ErrorKind kFileName{"htk-file-name",
                                     "a key that gives a file name of at most 200 bytes"};

}  // namespace sheaf::htk
