// The errors in objects of Kaldi.

#pragma once

#include <cstdint>
#include <string>

#include "core/error_kind.h"

namespace sheaf::internal {

/// An error in an object, and its location.
struct KaldiFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // from the start of the object
  std::string found;
};

// Errors in the head of an object.
inline constexpr ErrorKind kKaldiObject{
    "kaldi-object",
    "an object of a known kind: FM, DM, CM, CM2, CM3, SM, FV, DV, integers, RIFF or text"};
inline constexpr ErrorKind kKaldiPickle{
    "kaldi-pickle", "an object other than a pickled one, which could run any program"};
inline constexpr ErrorKind kKaldiCut{"kaldi-cut", "all bytes of the object"};
inline constexpr ErrorKind kKaldiMark{"kaldi-mark", "the byte 4 before each number of four bytes"};
inline constexpr ErrorKind kKaldiScalarMark{"kaldi-mark",
                                            "the byte 4 or 8 before a number, which is its size"};
inline constexpr ErrorKind kKaldiSize{"kaldi-size", "a count from 0 to 2147483647"};
inline constexpr ErrorKind kKaldiShape{"kaldi-shape",
                                       "rows and columns that are both 0, or neither of them"};
inline constexpr ErrorKind kKaldiWaveSize{"kaldi-wave-size", "a RIFF object that states its size"};
inline constexpr ErrorKind kKaldiImageSize{
    "kaldi-audio-size", "a byte from 1 to 8 behind AUDIO, and a size of as many bytes"};
inline constexpr ErrorKind kKaldiFlac{
    "kaldi-flac", "a recording that says where it ends, which FLAC inside another file does not"};

// Errors in the values of an object.
inline constexpr ErrorKind kKaldiSparseRow{"kaldi-sparse-row",
                                           "the token \"SV \" at the start of a sparse row"};
inline constexpr ErrorKind kKaldiRowDim{"kaldi-row-dim", "rows of one dim"};
inline constexpr ErrorKind kKaldiClass{"kaldi-class",
                                       "an index from 0 on that is below the dim of the stream"};
inline constexpr ErrorKind kKaldiRepeatedClass{"kaldi-repeated-class",
                                               "indices that differ in each sample"};
inline constexpr ErrorKind kKaldiRangeOrder{"kaldi-range",
                                            "a range whose last number is not before its first"};
inline constexpr ErrorKind kKaldiRowRange{
    "kaldi-range-end",
    "a row range that ends at most three rows behind the last row of the object"};
inline constexpr ErrorKind kKaldiColumnRange{"kaldi-range-end", "a column range inside the object"};

// Errors in objects written as text.
inline constexpr ErrorKind kKaldiTextOpen{"kaldi-text", "[ at the start of the values"};
inline constexpr ErrorKind kKaldiTextClose{"kaldi-text", "] at the end of the values"};
inline constexpr ErrorKind kKaldiTextNumber{
    "kaldi-number", "a number that begins with a digit or -, or inf, infinity or nan"};
inline constexpr ErrorKind kKaldiTextFloat{"kaldi-number", "a number"};
inline constexpr ErrorKind kKaldiTextRange{"kaldi-number-range", "a number that the type holds"};
inline constexpr ErrorKind kKaldiTextInteger{"kaldi-integer",
                                             "a whole number from -2147483648 to 2147483647"};
inline constexpr ErrorKind kKaldiTextRow{"kaldi-text-row", "rows of as many values as the first"};
inline constexpr ErrorKind kKaldiTextBlank{"kaldi-text", "a blank or ] behind a number"};
inline constexpr ErrorKind kKaldiTextLine{"kaldi-text", "a vector on one line"};
inline constexpr ErrorKind kKaldiTextRows{"kaldi-text", "rows= and the number of rows"};
inline constexpr ErrorKind kKaldiTextDim{"kaldi-text", "dim= and the dim of the row"};

}  // namespace sheaf::internal
