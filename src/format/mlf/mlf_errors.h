// The errors in a master label file: their codes and expectations.

#pragma once

#include <string_view>

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::mlf {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kHeader{"mlf-header", "#!MLF!#"};  // the first line that is not blank

inline constexpr ErrorKind kVersion{"mlf-version", "version 1 or 2"};  // byte 3 of a binary file

// Errors in a state list, found when the list is opened.
inline constexpr ErrorKind kStatesEmpty{"mlf-states-empty", "at least one state"};  // line 1
inline constexpr ErrorKind kStatesRepeated{"mlf-states-repeated",
                                           "each state once"};  // the second of the two
inline constexpr ErrorKind kStatesMany{"mlf-states-many",
                                       "at most 65536 states"};  // the first state too many

// Errors of an utterance: the first byte of its name line.
inline constexpr ErrorKind kName{"mlf-name", "a name in quotes, without other wildcards than */"};
inline constexpr ErrorKind kNumericKey{"mlf-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kEmpty{"mlf-empty", "at least one frame"};
inline constexpr ErrorKind kCut{"mlf-cut", "a line \".\" at the end of the utterance"};
inline constexpr ErrorKind kRepeated{"mlf-repeated-key", "each utterance once"};

// Errors in a range line: the first byte of the column.
inline constexpr ErrorKind kTime{"mlf-time", "a time, which is a number from 0"};
inline constexpr ErrorKind kOrder{"mlf-order", "an end that is not before the start"};
inline constexpr ErrorKind kLong{"mlf-long", "at most"};  // the end
inline constexpr ErrorKind kGap{"mlf-gap", "the start at frame"};
inline constexpr ErrorKind kOverlap{"mlf-overlap", "the start at frame"};
inline constexpr ErrorKind kState{"mlf-state", "a state of the list"};
inline constexpr ErrorKind kColumns{"mlf-columns", "start, end and state"};  // the first byte
inline constexpr ErrorKind kFourColumns{"mlf-columns",
                                        "four columns, the last an id, where there "
                                        "is no state list"};
inline constexpr ErrorKind kId{"mlf-id", "an id, which is a whole number from 0 to 65535"};
inline constexpr ErrorKind kDim{"mlf-id-range", "an id below"};

// Errors of an utterance in a binary file: the first byte of the utterance, or of the label.
inline constexpr ErrorKind kBinaryKey{"mlf-name", "a key of 1 to 256 bytes"};
inline constexpr ErrorKind kBinaryCut{"mlf-cut", "all ranges of the utterance"};
inline constexpr ErrorKind kBinaryFrames{"mlf-frames", "ranges whose frames add up to"};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{
    "mlf-name", "a key that is not empty, without quotes, *, ?, line ends and bytes of value 0"};
inline constexpr ErrorKind kWrittenId{"mlf-id", "ids that are whole numbers from 0 to 65535"};
inline constexpr ErrorKind kWrittenState{"mlf-state", "ids of the state list"};
inline constexpr ErrorKind kWrittenName{"mlf-state",
                                        "names of states without blanks and bytes of value 0"};
inline constexpr ErrorKind kOneHot{"mlf-one-hot", "one value of 1 in each frame"};
inline constexpr ErrorKind kWrittenFrames{"mlf-long", "at most 2147483648 frames"};
inline constexpr ErrorKind kWrittenUtterances{"mlf-empty", "at least one utterance"};

// Warnings.
inline constexpr std::string_view kIndexFileCode = "mlf-index-file";

}  // namespace sheaf::mlf
