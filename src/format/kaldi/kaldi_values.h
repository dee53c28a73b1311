// Decodes the values of binary objects other than compressed matrices.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "format/kaldi/kaldi_compressed.h"
#include "format/kaldi/kaldi_object.h"

namespace sheaf::internal {

/// A range in a list. Both ends belong to the range.
struct KaldiListedRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// How far a row range may extend past the last row of an object, as in Kaldi. Programs that cut
/// sound into frames differ by a few frames.
inline constexpr std::int64_t kKaldiRowTolerance = 3;

/// Clips a row range to the `count` rows of an object.
///
/// Errors: a first number above the last one or below 0, a range that begins at the end or later or
///         extends more than kKaldiRowTolerance rows past the end. The byte offset is 0.
[[nodiscard]] std::variant<KaldiRange, KaldiFault> clip_row_range(const KaldiListedRange& range,
                                                                  std::int64_t count);

/// Checks a column range, which must lie in the `count` columns.
///
/// Errors: as clip_row_range(), but without tolerance.
[[nodiscard]] std::variant<KaldiRange, KaldiFault> check_column_range(const KaldiListedRange& range,
                                                                      std::int64_t count);

/// Decodes a part of a matrix or vector of floats, compressed or not. A vector is one column.
/// Doubles become the nearest floats if T is float.
///
/// Shape: `to` is [rows.count, cols.count], row-major.
/// Pre:   the object is a `matrix`, `vector` or `compressed`; `data` has all bytes after the head;
///        the ranges lie in the object; `to` has the size of the part.
template <typename T>
void decode_floats(const KaldiHead& head, std::span<const std::byte> data, const KaldiRange& rows,
                   const KaldiRange& cols, std::span<T> to) noexcept;

extern template void decode_floats(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                                   const KaldiRange&, std::span<float>) noexcept;
extern template void decode_floats(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                                   const KaldiRange&, std::span<double>) noexcept;

/// Decodes elements of a vector of int32 or of pairs. A pair is two elements. `position` is the
/// offset of `data` in the object.
///
/// Shape:  one value for each five bytes of `data`.
/// Pre:    data.size() == 5 * to.size().
/// Errors: a missing mark. The contents of `to` are then undefined.
[[nodiscard]] std::optional<KaldiFault> decode_integers(std::span<const std::byte> data,
                                                        std::int64_t position,
                                                        std::span<std::int32_t> to);

/// Decodes a vector of vectors of int32.
///
/// Shape:  `counts` has the number of values of each list, `values` the values of all lists.
/// Pre:    `data` has all bytes after the head, as a KaldiWalk counted them; counts.size() is
///         head.rows and values.size() is KaldiWalk::value_count().
/// Errors: a missing mark. The results are then undefined.
[[nodiscard]] std::optional<KaldiFault> decode_lists(const KaldiHead& head,
                                                     std::span<const std::byte> data,
                                                     std::span<std::int32_t> values,
                                                     std::span<std::int64_t> counts);

/// The destination of sparse samples.
struct KaldiSparseColumns {
  std::span<float> values;          // of all samples
  std::span<std::int32_t> indices;  // of the values, ascending in each sample
  std::span<std::int64_t> counts;   // number of values of each sample
};

/// Decodes a posterior or a sparse matrix: a sparse sample for each frame or row. Sorts the pairs
/// of a sample by index.
///
/// Pre:    as decode_lists(), for `data` and the sizes of `to`.
/// Errors: a missing mark, an index below 0 or not below `dim`, an index that occurs twice in a
///         sample, rows of different dims in a sparse matrix. The results are then undefined.
[[nodiscard]] std::optional<KaldiFault> decode_sparse(const KaldiHead& head,
                                                      std::span<const std::byte> data,
                                                      std::int64_t dim,
                                                      const KaldiSparseColumns& to);

/// Decodes a scalar. The bytes do not tell whether a scalar is an int32, int64, float or double, so
/// T does.
///
/// Pre: head.kind is `scalar`, head.value_size_bytes is the size of T, and `data` has all bytes
///      after the head.
template <typename T>
[[nodiscard]] T decode_scalar(const KaldiHead& head, std::span<const std::byte> data) noexcept;

extern template std::int32_t decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
extern template std::int64_t decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
extern template float decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;
extern template double decode_scalar(const KaldiHead&, std::span<const std::byte>) noexcept;

/// Sorts the pairs of one sparse sample by index.
///
/// Returns: an index that occurs twice, or nothing if all differ.
/// Pre:     values.size() == indices.size().
/// Cost:    No allocation. One pass if the pairs are in order.
[[nodiscard]] std::optional<std::int32_t> sort_sparse_sample(std::span<float> values,
                                                             std::span<std::int32_t> indices);

}  // namespace sheaf::internal
