// Decodes and encodes compressed matrices: CM, CM2 and CM3.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "format/kaldi/kaldi_object.h"

namespace sheaf::internal {

/// Consecutive rows or columns.
struct KaldiRange {
  std::int64_t first = 0;
  std::int64_t count = 0;

  friend bool operator==(const KaldiRange&, const KaldiRange&) = default;
};

/// Decodes a part of a compressed matrix to the same values as Kaldi's own code, bit for bit.
/// Doubles have the values of these floats.
///
/// Shape:  `to` is [rows.count, cols.count], row-major.
/// Pre:    `data` has all bytes after the head; the ranges lie in the matrix; `to` has the size of
///         the part.
/// Cost:   time for the part only; for CM with at least 128 rows, a table of 1 KB a column on the
///         stack.
/// Source: docs/formats/kaldi-objects.md.
template <typename T>
void decode_compressed(const KaldiHead& head, std::span<const std::byte> data,
                       const KaldiRange& rows, const KaldiRange& cols, std::span<T> to) noexcept;

extern template void decode_compressed(const KaldiHead&, std::span<const std::byte>,
                                       const KaldiRange&, const KaldiRange&,
                                       std::span<float>) noexcept;
extern template void decode_compressed(const KaldiHead&, std::span<const std::byte>,
                                       const KaldiRange&, const KaldiRange&,
                                       std::span<double>) noexcept;

/// The method of compression, named as in Kaldi.
enum class KaldiMethod : std::uint8_t {
  automatic,                  // `speech_feature` above 8 rows, else `two_byte`
  speech_feature,             // CM
  two_byte,                   // CM2, from the smallest to the largest value
  two_byte_signed_integer,    // CM2, from -32768 to 32767
  one_byte,                   // CM3, from the smallest to the largest value
  one_byte_unsigned_integer,  // CM3, from 0 to 255
  one_byte_zero_one           // CM3, from 0 to 1
};

/// Appends a compressed matrix to `to`, as a whole object with the bytes of Kaldi's own writer. For
/// an empty matrix, omits the four further bytes that Kaldi writes and does not read.
///
/// Returns false and appends nothing if a value is not finite, or if the difference of the largest
/// and the smallest value is too large for a float.
///
/// Pre: values.size() == rows * cols, and both are below 2^31.
[[nodiscard]] bool encode_compressed(std::span<const float> values, std::int64_t rows,
                                     std::int64_t cols, KaldiMethod method, std::string& to);

}  // namespace sheaf::internal
