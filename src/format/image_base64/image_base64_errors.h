// The errors in lines of images.

#pragma once

#include <string_view>

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::image_base64 {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kUtf16{"image_base64-utf16", "ASCII or UTF-8"};
inline constexpr ErrorKind kNoLine{"image_base64-no-line", "at least one line"};

// Errors of a line: the first byte of the line, or of the column.
inline constexpr ErrorKind kColumns{"image_base64-columns", "LABEL and IMAGE with a tab between"};
inline constexpr ErrorKind kKeyedColumns{"image_base64-columns",
                                         "KEY, LABEL and IMAGE with tabs between"};
inline constexpr ErrorKind kNoKey{"image_base64-key", "a key that is not empty"};
inline constexpr ErrorKind kNumericKey{"image_base64-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kDigits{"image_base64-key", "a key that begins with digits"};
inline constexpr ErrorKind kRepeatedKey{"image_base64-repeated-key",
                                        "a key that was not there yet"};
inline constexpr ErrorKind kLabel{"image_base64-label", "a class id, which is a number from 0"};
inline constexpr ErrorKind kClass{"image_base64-class", "a class id below"};
inline constexpr ErrorKind kEmpty{"image_base64-empty", "an image in base64"};

// Errors in base64: the first wrong character, or the end of the text.
inline constexpr ErrorKind kCharacter{"image_base64-character", "a character of base64"};
inline constexpr ErrorKind kLength{"image_base64-length", "groups of four characters"};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{
    "image_base64-written-key",
    "a key that is not empty, without tabs, line ends and a leading "
    "byte order mark"};
inline constexpr ErrorKind kWrittenRepeated{"image_base64-written-repeated",
                                            "a key that no sequence before has"};
inline constexpr ErrorKind kWrittenRunning{"image_base64-written-key",
                                           "keys that are the numbers from 0 on"};
inline constexpr ErrorKind kWrittenNothing{"image_base64-written-nothing", "at least one sequence"};
inline constexpr ErrorKind kWrittenCount{"image_base64-written-count", "one sample"};
inline constexpr ErrorKind kWrittenImage{"image_base64-written-image",
                                         "an image of a byte or more"};
inline constexpr ErrorKind kWrittenLabel{"image_base64-written-label",
                                         "a class id from 0 to 2147483647"};
inline constexpr ErrorKind kWrittenOneHot{"image_base64-written-label",
                                          "a sparse sample with a single 1"};

// Warnings.
inline constexpr std::string_view kIndexFileCode = "image_base64-index-file";

}  // namespace sheaf::image_base64
