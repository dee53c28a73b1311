// What can be wrong with text in CTF: code, place, expectation.

#pragma once

#include <string_view>

namespace sheaf::ctf {

/// One kind of wrong place. The comment says which byte its line and column name.
struct ErrorKind {
  std::string_view code;
  std::string_view expected;
};

// Of a whole file, found when it is opened.
inline constexpr ErrorKind kUtf16{"ctf-utf16", "UTF-8 or plain bytes"};        // the first byte
inline constexpr ErrorKind kEmpty{"ctf-empty", "at least one row with data"};  // line 1, column 1
inline constexpr ErrorKind kNoId{"ctf-no-id",
                                 "a sequence id, or \"|\" to read each row as a "
                                 "sequence of its own"};  // the first byte not blank

// Of a row's beginning: the first digit of the id.
inline constexpr ErrorKind kId{"ctf-id", "a blank or \"|\" after the sequence id"};
inline constexpr ErrorKind kIdRange{"ctf-id-range",
                                    "a sequence id of at most 18446744073709551615"};
inline constexpr ErrorKind kIdWithoutData{"ctf-id-without-data", "\"|\" after the sequence id"};
inline constexpr ErrorKind kRepeatedId{"ctf-repeated-id", "an id that no earlier sequence has"};

// Of a row's items.
inline constexpr ErrorKind kStray{"ctf-stray", "\"|\""};  // the first byte of the stray text
inline constexpr ErrorKind kControl{"ctf-control", "a printable byte, blank or tab"};  // the byte
inline constexpr ErrorKind kName{"ctf-name", "a stream name after \"|\""};             // the "|"
inline constexpr ErrorKind kRepeatedStream{"ctf-repeated-stream",
                                           "each stream at most once in a row"};  // the second "|"

// Of a sample's values: the first byte of the value (of a number in a pair: behind its ":").
inline constexpr ErrorKind kNumber{"ctf-number", "a number"};
inline constexpr ErrorKind kNumberRange{"ctf-number-range", "a number within the range"};
inline constexpr ErrorKind kPair{"ctf-pair", "index:value"};
inline constexpr ErrorKind kIndexRange{"ctf-index-range", "an index below"};
inline constexpr ErrorKind kDuplicateIndex{"ctf-duplicate-index", "each index once in a sample"};
inline constexpr ErrorKind kManyValues{"ctf-many-values", "values"};  // the first one too many
inline constexpr ErrorKind kFewValues{"ctf-few-values", "values"};    // the "|" of the sample

// Of a sequence: column 1 of its first row.
inline constexpr ErrorKind kMissingStream{"ctf-missing-stream",
                                          "at least one sample in each sequence"};

}  // namespace sheaf::ctf
