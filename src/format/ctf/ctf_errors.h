// The errors in CTF: their codes and expectations, and the bytes that they point to.

#pragma once

#include <string_view>

#include "core/error_kind.h"

namespace sheaf::ctf {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kUtf16{"ctf-utf16", "UTF-8 or plain bytes"};        // the first byte
inline constexpr ErrorKind kEmpty{"ctf-empty", "at least one row with data"};  // line 1, column 1
inline constexpr ErrorKind kAllDropped{
    "ctf-empty", "a row of the stream that defines the size"};  // line 1, column 1
inline constexpr ErrorKind kNoId{"ctf-no-id",
                                 "a sequence id, or \"|\" to read each row as a "
                                 "sequence of its own"};  // the first nonblank byte

inline constexpr ErrorKind kNoStream{"ctf-no-stream",
                                     "a stream, as \"|name\""};  // the first row with data

inline constexpr ErrorKind kContradiction{
    "ctf-contradiction", "samples of one form"};  // the "|" of the second of two samples

// Errors at the beginning of a row: the first digit of the id.
inline constexpr ErrorKind kId{"ctf-id", "a blank or \"|\" after the sequence id"};
inline constexpr ErrorKind kIdRange{"ctf-id-range",
                                    "a sequence id of at most 18446744073709551615"};
inline constexpr ErrorKind kIdWithoutData{"ctf-id-without-data", "\"|\" after the sequence id"};
inline constexpr ErrorKind kRepeatedId{"ctf-repeated-id", "an id that no earlier sequence has"};

inline constexpr ErrorKind kKeyCollision{
    "ctf-key-collision", "an id whose hash no earlier sequence has; it is to be renamed"};

// Errors in the items of a row.
inline constexpr ErrorKind kStray{"ctf-stray", "\"|\""};  // the first byte of the stray text
inline constexpr ErrorKind kControl{"ctf-control", "a printable byte, blank or tab"};  // the byte
inline constexpr ErrorKind kName{"ctf-name", "a stream name after \"|\""};             // the "|"
inline constexpr ErrorKind kRepeatedStream{"ctf-repeated-stream",
                                           "each stream at most once in a row"};  // the second "|"

// Errors in the values of a sample: the first byte of the value. For a number in a pair, the byte
// after the ":".
inline constexpr ErrorKind kNumber{"ctf-number", "a number"};
inline constexpr ErrorKind kNumberRange{"ctf-number-range", "a number within the range"};
inline constexpr ErrorKind kInexact{"ctf-inexact",
                                    "a whole number that"};  // the type holds exactly
inline constexpr ErrorKind kPair{"ctf-pair", "index:value"};
inline constexpr ErrorKind kIndexRange{"ctf-index-range", "an index below"};
inline constexpr ErrorKind kDuplicateIndex{"ctf-duplicate-index", "each index once in a sample"};
inline constexpr ErrorKind kManyValues{"ctf-many-values", "values"};  // the first value too many
inline constexpr ErrorKind kFewValues{"ctf-few-values", "values"};    // the "|" of the sample

// Errors of a sequence: column 1 of its first row.
inline constexpr ErrorKind kMissingStream{"ctf-missing-stream",
                                          "at least one sample in each sequence"};

// Further errors under CNTK's rules: the first byte of the row; the byte where the file ends;
// column 1 of the first row of the sequence.
inline constexpr ErrorKind kEmptyRow{"ctf-empty-row", "at least one good sample in each row"};
inline constexpr ErrorKind kCutShort{"ctf-cut-short", "more before the end of the file"};
inline constexpr ErrorKind kManySamples{"ctf-many-samples", "samples"};
inline constexpr ErrorKind kFewSamples{"ctf-few-samples", "samples"};

// Warnings.
inline constexpr ErrorKind kUnknownStream{"ctf-unknown-stream", "a stream that was asked for"};
inline constexpr ErrorKind kIgnoredId{"ctf-ignored-id", "no id, as the first row has none"};
inline constexpr ErrorKind kDroppedSequence{"ctf-dropped-sequence",
                                            "a sample of the stream that defines the size"};
inline constexpr ErrorKind kNoNewline{"ctf-no-newline", "a newline at the end of the file"};
inline constexpr std::string_view kIndexFileCode = "ctf-index-file";

}  // namespace sheaf::ctf
