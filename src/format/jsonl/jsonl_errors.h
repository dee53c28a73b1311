// The errors in JSON Lines: their codes and expectations, and the bytes that they point to.

#pragma once

#include <string_view>

#include "core/error_kind.h"

namespace sheaf::jsonl {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kUtf16{"jsonl-utf16", "UTF-8"};  // the first byte
inline constexpr ErrorKind kEmpty{"jsonl-empty", "at least one line with an object"};  // line 1
inline constexpr ErrorKind kNotJsonl{"jsonl-not-jsonl",
                                     "a line with a JSON object"};  // the first nonblank byte
inline constexpr ErrorKind kNoStream{"jsonl-no-stream",
                                     "a field that is a stream"};  // the first line with data
inline constexpr ErrorKind kContradiction{
    "jsonl-contradiction", "values of one form"};  // the value of the second of two fields

// Errors of a line that is not an object of JSON. Only the first one is reported.
inline constexpr ErrorKind kObject{"jsonl-object", "an object"};  // the first nonblank byte
inline constexpr ErrorKind kJson{"jsonl-json", "JSON"};  // the first byte that is not allowed
inline constexpr ErrorKind kText{"jsonl-text", "a text that ends in the line"};  // its first quote
inline constexpr ErrorKind kControl{"jsonl-control", "no control byte in a text"};  // the byte
inline constexpr ErrorKind kEscape{"jsonl-escape",
                                   "an escape of JSON that stands for a character"};  // the "\"
inline constexpr ErrorKind kUtf8{"jsonl-utf8", "UTF-8"};  // the first byte
inline constexpr ErrorKind kDepth{"jsonl-depth",
                                  "at most 512 lists and objects, one inside the other"};
inline constexpr ErrorKind kSize{"jsonl-size", "a line of at most 4294967200 bytes"};  // column 1

// Errors of a field: the quote before its name, or its value.
inline constexpr ErrorKind kRepeatedField{"jsonl-repeated-field", "each field once"};
inline constexpr ErrorKind kType{"jsonl-type", "a value of the stream"};
inline constexpr ErrorKind kNumber{"jsonl-number", "a number"};
inline constexpr ErrorKind kNumberRange{"jsonl-number-range", "a number within the range"};
inline constexpr ErrorKind kInexact{"jsonl-inexact",
                                    "a whole number that"};         // the type holds exactly
inline constexpr ErrorKind kCount{"jsonl-count", "values"};         // the "[" of the sample
inline constexpr ErrorKind kSparse{"jsonl-sparse", "\"indices\""};  // the "{", or a name's quote
inline constexpr ErrorKind kIndex{"jsonl-index", "a whole number from 0"};
inline constexpr ErrorKind kIndexRange{"jsonl-index-range", "an index below"};
inline constexpr ErrorKind kDuplicateIndex{"jsonl-duplicate-index", "each index once in a sample"};
inline constexpr ErrorKind kPairs{"jsonl-pairs", "as many values as indices"};  // the "[" of values

// Errors of a key: its value, or column 1 if the line has none.
inline constexpr ErrorKind kNoKey{"jsonl-key", "the field of the key"};
inline constexpr ErrorKind kNumericKey{"jsonl-key", "a key that is a whole number of 0 to 2^64-1"};
inline constexpr ErrorKind kTextKey{"jsonl-key", "a key that is a text, not an empty one"};
inline constexpr ErrorKind kRepeatedKey{"jsonl-repeated-key", "a key that no earlier line has"};

// Errors of a line: column 1.
inline constexpr ErrorKind kMissingStream{"jsonl-missing-stream", "a value of each stream"};

// Warnings.
inline constexpr ErrorKind kUnknownField{"jsonl-unknown-field", "a field that is a stream"};
inline constexpr ErrorKind kDroppedSequence{"jsonl-dropped-sequence",
                                            "a sample of the stream that defines the size"};
inline constexpr std::string_view kIndexFileCode = "jsonl-index-file";

}  // namespace sheaf::jsonl
