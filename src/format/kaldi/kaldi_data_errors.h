// The errors in lists and archives of Kaldi as data sets.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::kaldi {

using internal::ErrorKind;

// Errors of the whole file.
inline constexpr ErrorKind kNoSequence{"kaldi-empty", "at least one sequence"};
inline constexpr ErrorKind kRepeatedKey{"kaldi-repeated-key", "keys that differ"};
inline constexpr ErrorKind kTooLong{"kaldi-long", "shorter sequences"};
inline constexpr ErrorKind kIndexFile{"kaldi-index-file", ""};
inline constexpr ErrorKind kNumericKey{"kaldi-numeric-key", internal::kNumericKeyExpected};

// Errors in a line of a file of lengths.
inline constexpr ErrorKind kLengthsLine{"kaldi-lengths",
                                        "a key, and a number of frames below 2147483648"};

// Errors in a line of a list.
inline constexpr ErrorKind kNoKey{"kaldi-key", "a key at the start of the line"};
inline constexpr ErrorKind kNoPath{"kaldi-path", "the path of a file behind the key"};
inline constexpr ErrorKind kRange{
    "kaldi-range", "a range [first:last] of rows, or [first:last,first:last] of rows and columns"};
inline constexpr ErrorKind kListedOffset{"kaldi-offset", "an offset below 2^63"};
inline constexpr ErrorKind kStandardInput{"kaldi-path", "a file: standard input holds one object"};
inline constexpr ErrorKind kSpecifier{"kaldi-path", "the path of a file, without ark: or scp:"};
inline constexpr ErrorKind kCommand{
    "kaldi-command",
    "a file, or gunzip -c FILE |, zcat FILE |, cat FILE |, flac -c -d FILE |, sph2pipe -f wav FILE "
    "| or sox FILE -t wav - |: sheaf starts no other command"};

// Errors of one sequence.
inline constexpr ErrorKind kEntryKey{
    "kaldi-key",
    "a key of at most 65536 bytes without bytes of value 0, and a blank behind the key"};
inline constexpr ErrorKind kMissingFile{"kaldi-missing-file", "a file that is there"};
inline constexpr ErrorKind kOffset{"kaldi-offset", "an offset inside the file"};
inline constexpr ErrorKind kChanged{"kaldi-changed",
                                    "as many samples as when the data were indexed"};
inline constexpr ErrorKind kLengths{"kaldi-lengths", "as many frames as the file of lengths says"};
inline constexpr ErrorKind kOtherKind{"kaldi-other-kind", "an object that the stream can hold"};
inline constexpr ErrorKind kOtherDim{"kaldi-other-dim", "samples of the dim of the stream"};
inline constexpr ErrorKind kRangeKind{"kaldi-range", "a range of a matrix or a float vector"};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{
    "kaldi-key", "a key of 1 to 65536 bytes, without blanks and bytes of value 0"};
inline constexpr ErrorKind kWrittenStream{"kaldi-absent", "samples of the stream"};
inline constexpr ErrorKind kWrittenCount{"kaldi-size", "at most 2147483647 values"};
inline constexpr ErrorKind kWrittenValues{"kaldi-value",
                                          "finite values for compression, that a float can span"};
inline constexpr ErrorKind kWrittenText{"kaldi-value", "values that Kaldi reads in a text"};
inline constexpr ErrorKind kClass{"kaldi-class", "an index below the dim of the stream"};

// Errors in objects written as text.
inline constexpr ErrorKind kTextPair{"kaldi-text", "pairs of two whole numbers, with ; between"};
inline constexpr ErrorKind kTextScalar{"kaldi-number",
                                       "a number that the type of the stream holds"};

// Errors in lines of words, and in symbol tables.
inline constexpr ErrorKind kTextKey{"kaldi-key", "a key of at most 65536 bytes"};
inline constexpr ErrorKind kTextByte{"kaldi-text", "a line of text, without bytes of value 0"};
inline constexpr ErrorKind kTextLineSize{"kaldi-text", "a line of at most 2147483647 bytes"};
inline constexpr ErrorKind kUnknownWord{"kaldi-word", "a word of the symbol table"};
inline constexpr ErrorKind kSymbolLine{"kaldi-symbols",
                                       "a word, and an id from 0 to 2147483647 behind a blank"};
inline constexpr ErrorKind kRepeatedSymbol{"kaldi-symbols", "words that differ"};
inline constexpr ErrorKind kNoSymbol{"kaldi-symbols", "at least one word with an id"};

}  // namespace sheaf::kaldi
