// What can be wrong with JSON Lines: code, place, expectation.

#pragma once

#include <string_view>

#include "core/error_kind.h"

namespace sheaf::jsonl {

// The comments say which byte line and column name.
using internal::ErrorKind;

// Of a whole file, found when it is opened.
inline constexpr ErrorKind kUtf16{"jsonl-utf16", "UTF-8"};  // the first byte
inline constexpr ErrorKind kEmpty{"jsonl-empty", "at least one line with an object"};  // line 1
inline constexpr ErrorKind kNotJsonl{"jsonl-not-jsonl",
                                     "a line with a JSON object"};  // the first byte not blank
inline constexpr ErrorKind kNoStream{"jsonl-no-stream",
                                     "a field that is a stream"};  // the first line with data
inline constexpr ErrorKind kContradiction{
    "jsonl-contradiction", "values of one form"};  // the value of the second of two fields

// Of a line that is no object of JSON; the first wrong place alone.
inline constexpr ErrorKind kObject{"jsonl-object", "an object"};  // the first byte not blank
inline constexpr ErrorKind kJson{"jsonl-json", "JSON"};           // the first byte that cannot be
inline constexpr ErrorKind kText{"jsonl-text", "a text that ends in the line"};  // its first quote
inline constexpr ErrorKind kControl{"jsonl-control", "no control byte in a text"};  // the byte
inline constexpr ErrorKind kEscape{"jsonl-escape",
                                   "an escape of JSON that stands for a character"};  // the "\"
inline constexpr ErrorKind kUtf8{"jsonl-utf8", "UTF-8"};  // the first byte
inline constexpr ErrorKind kDepth{"jsonl-depth",
                                  "at most 512 lists and objects, one inside the other"};
inline constexpr ErrorKind kSize{"jsonl-size", "a line of at most 4294967200 bytes"};  // column 1

// Of a field: the quote before its name, or its value.
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

// Of a key: its value; column 1 where the line has none.
inline constexpr ErrorKind kNoKey{"jsonl-key", "the field of the key"};
inline constexpr ErrorKind kNumericKey{"jsonl-key", "a key that is a whole number of 0 to 2^64-1"};
inline constexpr ErrorKind kTextKey{"jsonl-key", "a key that is a text, not an empty one"};
inline constexpr ErrorKind kRepeatedKey{"jsonl-repeated-key", "a key that no earlier line has"};

// Of a line: column 1.
inline constexpr ErrorKind kMissingStream{"jsonl-missing-stream", "a value of each stream"};

// Not wrong, but worth a warning.
inline constexpr ErrorKind kUnknownField{"jsonl-unknown-field", "a field that is a stream"};
inline constexpr ErrorKind kDroppedSequence{"jsonl-dropped-sequence",
                                            "a sample of the stream that defines the size"};
inline constexpr std::string_view kIndexFileCode = "jsonl-index-file";

}  // namespace sheaf::jsonl
