// The errors in LibSVM text: their codes and expectations, and the bytes that they point to.

#pragma once

#include <string_view>

#include "core/error_kind.h"

namespace sheaf::libsvm {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kUtf16{"libsvm-utf16", "UTF-8 or plain bytes"};  // the first byte
inline constexpr ErrorKind kEmpty{"libsvm-empty",
                                  "at least one row with data"};  // line 1, column 1
inline constexpr ErrorKind kNotLibsvm{"libsvm-not-libsvm",
                                      "a row of a label and index:value"};  // the first token

// Errors of a row's label: the first byte of the label, or of the row's first token if there is
// none.
inline constexpr ErrorKind kLabel{"libsvm-label", "a label that is a number"};
inline constexpr ErrorKind kLabelList{"libsvm-label",
                                      "labels that are whole numbers from 0, parted by commas"};
inline constexpr ErrorKind kLabelRange{"libsvm-label-range", "a label below"};  // the wrong label
inline constexpr ErrorKind kDuplicateLabel{"libsvm-duplicate-label",
                                           "each label once in a row"};  // the second of the two

// Errors of a row's qid: its first byte, or that of the row's first token if there is none.
inline constexpr ErrorKind kQid{"libsvm-qid", "qid: and a whole number"};
inline constexpr ErrorKind kQidRange{"libsvm-qid-range", "a qid of at most 18446744073709551615"};
inline constexpr ErrorKind kNoQid{"libsvm-mixed", "a qid, as the first row has one"};
inline constexpr ErrorKind kStrayQid{"libsvm-mixed", "no qid, as the first row has none"};
inline constexpr ErrorKind kRepeatedQid{"libsvm-repeated-qid",
                                        "a qid that no earlier sequence has"};

// Errors of a pair: its first byte. Errors of its value: the byte after the colon.
inline constexpr ErrorKind kPair{"libsvm-pair", "index:value"};
inline constexpr ErrorKind kIndexRange{"libsvm-index-range", "an index from"};
inline constexpr ErrorKind kOrder{"libsvm-order", "an index above"};
inline constexpr ErrorKind kNumber{"libsvm-number", "a number"};
inline constexpr ErrorKind kNumberRange{"libsvm-number-range", "a number within the range"};
inline constexpr ErrorKind kInexact{"libsvm-inexact",
                                    "a whole number that"};  // the type holds exactly

// Warnings.
inline constexpr std::string_view kIndexFileCode = "libsvm-index-file";

}  // namespace sheaf::libsvm
