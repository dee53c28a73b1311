// A kernel that decodes the columns of a compressed matrix.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sheaf::internal {

/// The four values that divide a column into parts.
struct KaldiPercentiles {
  float p0 = 0;
  float p25 = 0;
  float p75 = 0;
  float p100 = 0;
};

/// Some adjacent columns of a compressed matrix, and the destination of their values.
struct KaldiColumns {
  std::span<const KaldiPercentiles> percentiles;  // of each column
  const std::byte* bytes = nullptr;               // of the first column
  std::int64_t column_size_bytes = 0;             // from one column to the next
  std::int64_t row_count = 0;
  float* to = nullptr;      // the first row
  std::int64_t stride = 0;  // values from one row to the next
};

#if defined(__x86_64__)
/// The numbers of columns and rows that the kernel decodes at once.
inline constexpr std::int64_t kKaldiKernelCols = 16;
inline constexpr std::int64_t kKaldiKernelRows = 16;

/// Decodes at most kKaldiKernelCols columns. Returns false and writes nothing if a column has
/// values so large, so small or so close together that the kernel could round in another way than
/// Kaldi.
///
/// Pre: simd_level() is avx512; row_count >= kKaldiKernelRows; there is a column.
[[nodiscard]] bool decode_columns_avx512(const KaldiColumns& columns) noexcept;
#endif

}  // namespace sheaf::internal
