// The heads of objects, which tell the kind of an object and the location of its values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "format/kaldi/kaldi_errors.h"

namespace sheaf::internal {

/// The kind of an object.
enum class KaldiKind : std::uint8_t {
  matrix,      // FM, DM
  compressed,  // CM, CM2, CM3
  sparse,      // SM
  vector,      // FV, DV
  integers,    // a vector of int32
  pairs,       // a vector of pairs of int32
  lists,       // a vector of vectors of int32
  posteriors,  // indices and their weights for each frame
  scalar,      // one int32, float or double
  text,        // any of the kinds above but `compressed`, as text
  wave         // a RIFF file, or AUDIO and the image of a file
};

/// How a compressed matrix stores its values.
enum class KaldiCompression : std::uint8_t {
  columns,   // CM: a byte for each value, column by column, with four percentiles for each column
  two_byte,  // CM2: 16 bits for each value
  one_byte   // CM3: 8 bits for each value
};

/// The contents of an object's head.
struct KaldiHead {
  static constexpr std::int64_t kUnknownSize = -1;

  KaldiKind kind = KaldiKind::matrix;
  KaldiCompression compression = KaldiCompression::columns;  // of compressed matrices
  std::int64_t rows = 0;                                     // also: elements, pairs, lists, frames
  std::int64_t cols = 1;                                     // of matrices; 2 for pairs
  int value_size_bytes = 4;                                  // of floats and scalars
  float min_value = 0;                                       // of compressed matrices
  float range = 0;                                           // of compressed matrices
  std::int64_t data_begin = 0;  // start of the values, counted from the start of the object
  std::int64_t size_bytes = kUnknownSize;  // of the whole object, if the head tells it
};

/// The largest size of a head.
inline constexpr std::int64_t kKaldiHeadSize = 32;

/// The bytes before the values of an uncompressed matrix, and of a vector of floats.
inline constexpr std::int64_t kKaldiMatrixHead = 15;
inline constexpr std::int64_t kKaldiVectorHead = 10;

/// The size of a file whose end is not known.
inline constexpr std::int64_t kKaldiNoEnd = std::numeric_limits<std::int64_t>::max();

/// Parses the head of an object. `bytes` are the first kKaldiHeadSize bytes of the object, or fewer
/// if the file ends before. `size_left_bytes` counts the bytes of the file from the start of the
/// object. Objects whose first value follows the byte 4 or 8 have no token. Their kind is
/// `declared`: one of `integers`, `pairs`, `lists`, `posteriors` and `scalar`.
///
/// The head does not tell the size of texts, nor of sparse matrices, lists and posteriors, for
/// which a KaldiWalk finds it. An empty CM of Kaldi's own writer has four bytes of value 0 after
/// its end.
///
/// Errors: unknown tokens, counts below 0, objects that end after the end of the file.
/// Source: docs/formats/kaldi-objects.md.
[[nodiscard]] std::variant<KaldiHead, KaldiFault> parse_kaldi_head(
    std::span<const std::byte> bytes, KaldiKind declared,
    std::int64_t size_left_bytes = kKaldiNoEnd);

/// Returns the name of a kind in messages, such as "matrix".
[[nodiscard]] std::string_view to_string(KaldiKind kind) noexcept;

}  // namespace sheaf::internal
