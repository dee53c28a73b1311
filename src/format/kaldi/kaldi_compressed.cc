// Kaldi computes its result with operations in float and in double, each rounded. The operations
// below have Kaldi's order. The compiler must not fuse a product and a sum (src/CMakeLists.txt).
//
// The bytes of a CM lie column by column, and the values are needed row by row. A long column gets
// a table of its 256 possible values. The tables of eight columns stay in the first cache, and
// eight columns fill half a cache line of each row. For short columns the tables would cost more
// than the values. Short columns are decoded in tiles of eight columns and eight rows, which are
// transposed in registers. With AVX-512, a kernel decodes all but very short columns.

#include "format/kaldi/kaldi_compressed.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "sheaf/extend/simd.h"

#include "base/unaligned.h"
#include "format/kaldi/kaldi_column_kernel.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kBlockCols = 8;       // columns decoded side by side
constexpr std::int64_t kTableRowsMin = 128;  // with fewer rows, no tables
constexpr std::int64_t kKernelRowsMin = 24;  // with fewer rows, no kernel for AVX-512
constexpr std::int64_t kPercentileBytes = 8;
constexpr float kPerStep = 1.52590218966964e-05F;  // 1 / 65535, with Kaldi's digits

using Percentiles = KaldiPercentiles;

float percentile(float min_value, float range, std::uint16_t number) noexcept {
  const float step = range * kPerStep;
  return min_value + step * static_cast<float>(number);
}

Percentiles percentiles_at(const std::byte* at, float min_value, float range) noexcept {
  const auto value = [&](std::int64_t i) {
    return percentile(min_value, range, load<std::uint16_t>(at, i));
  };
  return {value(0), value(1), value(2), value(3)};
}

Percentiles percentiles_of_column(const KaldiHead& head, std::span<const std::byte> data,
                                  std::int64_t col) noexcept {
  return percentiles_at(data.data() + kPercentileBytes * col, head.min_value, head.range);
}

/// Returns the byte of the first row of a column.
const std::byte* bytes_of_column(const KaldiHead& head, std::span<const std::byte> data,
                                 const KaldiRange& rows, std::int64_t col) noexcept {
  return data.data() + kPercentileBytes * head.cols + col * head.rows + rows.first;
}

/// Returns the value `step` steps into a part of a column. The part begins at `first`.
float in_part(float first, float size, int step, double per_step) noexcept {
  const float product = size * static_cast<float>(step);
  return static_cast<float>(static_cast<double>(first) + static_cast<double>(product) * per_step);
}

float value_of(const Percentiles& p, int byte) noexcept {
  if (byte <= 64) return in_part(p.p0, p.p25 - p.p0, byte, 1 / 64.0);
  if (byte <= 192) return in_part(p.p25, p.p75 - p.p25, byte - 64, 1 / 128.0);
  return in_part(p.p75, p.p100 - p.p75, byte - 192, 1 / 63.0);
}

using Table = std::array<float, 256>;

[[gnu::always_inline]] inline void fill_table_inline(const Percentiles& p, Table& table) noexcept {
  for (int i = 0; i <= 64; ++i) {
    table[static_cast<std::size_t>(i)] = in_part(p.p0, p.p25 - p.p0, i, 1 / 64.0);
  }
  for (int i = 65; i <= 192; ++i) {
    table[static_cast<std::size_t>(i)] = in_part(p.p25, p.p75 - p.p25, i - 64, 1 / 128.0);
  }
  for (int i = 193; i < 256; ++i) {
    table[static_cast<std::size_t>(i)] = in_part(p.p75, p.p100 - p.p75, i - 192, 1 / 63.0);
  }
}

void fill_table(const Percentiles& p, Table& table) noexcept { fill_table_inline(p, table); }

#if defined(__x86_64__)
#define SHEAF_AVX2 __attribute__((target("avx2")))

/// Does the same as fill_table() with wider vectors.
SHEAF_AVX2 void fill_table_avx2(const Percentiles& p, Table& table) noexcept {
  fill_table_inline(p, table);
}

/// For each of several adjacent columns, where its parts begin, and their sizes.
struct ColumnBlock {
  std::array<std::array<float, 8>, kBlockCols> firsts{};
  std::array<std::array<float, 8>, kBlockCols> sizes{};
  std::int64_t count = 0;
};

struct Tile {
  __m256 rows[8];  // std::array would lose the alignment
};

/// Returns the results of value_of()'s last operations for four values, given the parts of the
/// column that hold them.
SHEAF_AVX2 inline __m128 sums_of(__m128 first, __m128 product, __m128i in_second,
                                 __m128i in_third) noexcept {
  const __m256d second = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(in_second));
  const __m256d third = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(in_third));
  __m256d per_step = _mm256_blendv_pd(_mm256_set1_pd(1 / 64.0), _mm256_set1_pd(1 / 128.0), second);
  per_step = _mm256_blendv_pd(per_step, _mm256_set1_pd(1 / 63.0), third);
  const __m256d offset = _mm256_mul_pd(_mm256_cvtps_pd(product), per_step);
  return _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(first), offset));
}

/// Returns the values of eight bytes of a column, with the operations of value_of().
SHEAF_AVX2 inline __m256 values_of(const std::byte* bytes, __m256 firsts, __m256 sizes) noexcept {
  const __m256i number =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes)));
  const __m256i in_second = _mm256_cmpgt_epi32(number, _mm256_set1_epi32(64));
  const __m256i in_third = _mm256_cmpgt_epi32(number, _mm256_set1_epi32(192));
  const __m256i part =
      _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_add_epi32(in_second, in_third));
  const __m256 first = _mm256_permutevar8x32_ps(firsts, part);
  const __m256 size = _mm256_permutevar8x32_ps(sizes, part);
  const __m256i begin = _mm256_add_epi32(_mm256_and_si256(in_second, _mm256_set1_epi32(64)),
                                         _mm256_and_si256(in_third, _mm256_set1_epi32(128)));
  const __m256 step = _mm256_cvtepi32_ps(_mm256_sub_epi32(number, begin));
  const __m256 product = _mm256_mul_ps(size, step);
  const __m128 low = sums_of(_mm256_castps256_ps128(first), _mm256_castps256_ps128(product),
                             _mm256_castsi256_si128(in_second), _mm256_castsi256_si128(in_third));
  const __m128 high =
      sums_of(_mm256_extractf128_ps(first, 1), _mm256_extractf128_ps(product, 1),
              _mm256_extracti128_si256(in_second, 1), _mm256_extracti128_si256(in_third, 1));
  return _mm256_set_m128(high, low);
}

/// Transposes eight columns of eight values into rows.
SHEAF_AVX2 inline void transpose(Tile& tile) noexcept {
  __m256* const v = tile.rows;
  Tile pairs{};
  for (int i = 0; i < 8; i += 2) {
    pairs.rows[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
    pairs.rows[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
  }
  Tile fours{};
  for (int i = 0; i < 8; i += 4) {
    const __m256* const p = pairs.rows + i;
    fours.rows[i] = _mm256_shuffle_ps(p[0], p[2], 0x44);
    fours.rows[i + 1] = _mm256_shuffle_ps(p[0], p[2], 0xEE);
    fours.rows[i + 2] = _mm256_shuffle_ps(p[1], p[3], 0x44);
    fours.rows[i + 3] = _mm256_shuffle_ps(p[1], p[3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm256_permute2f128_ps(fours.rows[i], fours.rows[i + 4], 0x20);
    v[i + 4] = _mm256_permute2f128_ps(fours.rows[i], fours.rows[i + 4], 0x31);
  }
}

/// Decodes eight rows of a block. The columns lie `rows` bytes apart.
SHEAF_AVX2 inline void decode_tile(const ColumnBlock& block, const std::byte* bytes,
                                   std::int64_t rows, float* to, std::int64_t stride) noexcept {
  Tile tile{};
  for (std::int64_t c = 0; c < kBlockCols; ++c) {
    // Columns past the last one use its bytes, and are not stored.
    const std::int64_t col = std::min(c, block.count - 1);
    const auto n = static_cast<std::size_t>(c);
    tile.rows[n] = values_of(bytes + col * rows, _mm256_loadu_ps(block.firsts[n].data()),
                             _mm256_loadu_ps(block.sizes[n].data()));
  }
  transpose(tile);
  const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(block.count)),
                                          _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  for (const __m256& row : tile.rows) {
    if (block.count == kBlockCols) {
      _mm256_storeu_ps(to, row);
    } else {
      _mm256_maskstore_ps(to, mask, row);
    }
    to += stride;
  }
}

/// Decodes `count` columns of `row_count` rows. The first byte is at `bytes`.
///
/// Pre: row_count >= 8.
SHEAF_AVX2 void decode_block(const std::array<Percentiles, kBlockCols>& percentiles,
                             std::int64_t count, const std::byte* bytes, std::int64_t rows,
                             std::int64_t row_count, float* to, std::int64_t stride) noexcept {
  ColumnBlock block{.count = count};
  for (std::size_t c = 0; c < percentiles.size(); ++c) {
    const Percentiles& p = percentiles[c];
    block.firsts[c] = {p.p0, p.p25, p.p75};
    block.sizes[c] = {p.p25 - p.p0, p.p75 - p.p25, p.p100 - p.p75};
  }
  for (std::int64_t r = 0; r < row_count; r += 8) {
    // The last tile overlaps the rows before.
    const std::int64_t row = std::min(r, row_count - 8);
    decode_tile(block, bytes + row, rows, to + row * stride, stride);
  }
}
#undef SHEAF_AVX2

/// Decodes columns with the kernel for AVX-512, up to the first block that the kernel refuses.
/// Returns how many columns are done.
std::int64_t decode_with_kernel(const KaldiHead& head, std::span<const std::byte> data,
                                const KaldiRange& rows, const KaldiRange& cols,
                                float* to) noexcept {
  std::array<Percentiles, kKaldiKernelCols> percentiles{};
  for (std::int64_t c = 0; c < cols.count; c += kKaldiKernelCols) {
    const std::int64_t count = std::min(kKaldiKernelCols, cols.count - c);
    for (std::int64_t i = 0; i < count; ++i) {
      percentiles[static_cast<std::size_t>(i)] =
          percentiles_of_column(head, data, cols.first + c + i);
    }
    const KaldiColumns columns{
        .percentiles = std::span(percentiles).first(static_cast<std::size_t>(count)),
        .bytes = bytes_of_column(head, data, rows, cols.first + c),
        .column_size_bytes = head.rows,
        .row_count = rows.count,
        .to = to + c,
        .stride = cols.count};
    if (!decode_columns_avx512(columns)) return c;
  }
  return cols.count;
}
#endif

/// Decodes `count` columns, at most kBlockCols. The rows of the result lie `stride` values apart.
template <typename T>
void decode_columns(const KaldiHead& head, std::span<const std::byte> data, std::int64_t first_col,
                    std::int64_t count, const KaldiRange& rows, T* to,
                    std::int64_t stride) noexcept {
  assert(count <= kBlockCols);
  const std::byte* const bytes = bytes_of_column(head, data, rows, first_col);
  std::array<Percentiles, kBlockCols> percentiles{};
  for (std::int64_t c = 0; c < count; ++c) {
    percentiles[static_cast<std::size_t>(c)] = percentiles_of_column(head, data, first_col + c);
  }
#if defined(__x86_64__)
  if constexpr (std::is_same_v<T, float>) {
    if (rows.count >= 8 && rows.count < kTableRowsMin && simd_level() >= SimdLevel::avx2) {
      return decode_block(percentiles, count, bytes, head.rows, rows.count, to, stride);
    }
  }
#endif
  const auto byte_at = [&](std::int64_t col, std::int64_t row) {
    return std::to_integer<std::uint8_t>(bytes[col * head.rows + row]);
  };
  if (rows.count < kTableRowsMin) {
    for (std::int64_t c = 0; c < count; ++c) {
      const Percentiles& p = percentiles[static_cast<std::size_t>(c)];
      for (std::int64_t r = 0; r < rows.count; ++r) {
        to[r * stride + c] = static_cast<T>(value_of(p, byte_at(c, r)));
      }
    }
    return;
  }
  auto* fill = &fill_table;
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) fill = &fill_table_avx2;
#endif
  std::array<Table, kBlockCols> tables;  // NOLINT: filled before use
  for (std::int64_t c = 0; c < count; ++c) {
    fill(percentiles[static_cast<std::size_t>(c)], tables[static_cast<std::size_t>(c)]);
  }
  if (count == kBlockCols) {
    for (std::int64_t r = 0; r < rows.count; ++r, to += stride) {
      for (std::int64_t c = 0; c < kBlockCols; ++c) {
        to[c] = static_cast<T>(tables[static_cast<std::size_t>(c)][byte_at(c, r)]);
      }
    }
    return;
  }
  for (std::int64_t r = 0; r < rows.count; ++r, to += stride) {
    for (std::int64_t c = 0; c < count; ++c) {
      to[c] = static_cast<T>(tables[static_cast<std::size_t>(c)][byte_at(c, r)]);
    }
  }
}

template <typename Number, typename T>
void decode_rows(const KaldiHead& head, std::span<const std::byte> data, const KaldiRange& rows,
                 const KaldiRange& cols, T* to) noexcept {
  constexpr double kSteps = std::numeric_limits<Number>::max();
  const auto step = static_cast<float>(static_cast<double>(head.range) * (1.0 / kSteps));
  const float min_value = head.min_value;
  constexpr std::int64_t kNumberSize = sizeof(Number);
  for (std::int64_t r = 0; r < rows.count; ++r, to += cols.count) {
    const std::byte* const row =
        data.data() + kNumberSize * ((rows.first + r) * head.cols + cols.first);
    for (std::int64_t c = 0; c < cols.count; ++c) {
      to[c] = static_cast<T>(min_value + static_cast<float>(load<Number>(row, c)) * step);
    }
  }
}

/// The scale in the global header of a compressed matrix.
struct Scale {
  float min_value = 0;
  float range = 0;
};

/// Returns the step of a value between the smallest and the largest value, counted from 0.
int step_of(const Scale& scale, float value, int step_count) noexcept {
  const float part = std::clamp((value - scale.min_value) / scale.range, 0.0F, 1.0F);
  // Kaldi rounds with a little less than a half.
  return static_cast<int>(static_cast<double>(part * static_cast<float>(step_count)) + 0.499);
}

Scale scale_of(std::span<const float> values, KaldiMethod method) noexcept {
  switch (method) {
    case KaldiMethod::two_byte_signed_integer:
      return {-32768, 65535};
    case KaldiMethod::one_byte_unsigned_integer:
      return {0, 255};
    case KaldiMethod::one_byte_zero_one:
      return {0, 1};
    default:
      break;
  }
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  float top = *max;
  if (top == *min) {
    const double size = static_cast<double>(std::fabs(*min));
    top = static_cast<float>(static_cast<double>(*min) + (1.0 + size));
  }
  return {*min, top - *min};
}

/// Returns the percentiles of a column as 16-bit numbers, each larger than the previous one.
std::array<std::uint16_t, 4> percentile_numbers(const Scale& scale, std::vector<float>& column) {
  const std::int64_t count = std::ssize(column);
  std::sort(column.begin(), column.end());
  const std::int64_t quarter = count / 4;
  const std::array<std::int64_t, 4> locations =
      count >= 5 ? std::array<std::int64_t, 4>{0, quarter, 3 * quarter, count - 1}
                 : std::array<std::int64_t, 4>{0, 1, 2, 3};
  std::array<std::uint16_t, 4> numbers{};
  int least = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    int number = least;
    if (locations[i] < count) {
      number =
          std::max(step_of(scale, column[static_cast<std::size_t>(locations[i])], 65535), least);
    }
    number = std::min(number, 65532 + static_cast<int>(i));  // leave room for later numbers
    numbers[i] = static_cast<std::uint16_t>(number);
    least = number + 1;
  }
  return numbers;
}

/// Returns the byte of a value, given the percentiles of its column.
char byte_of(const Percentiles& p, float value) noexcept {
  const auto step = [value](float first, float last, int steps) {
    const float part = (value - first) / (last - first);
    const double exact = static_cast<double>(part * static_cast<float>(steps)) + 0.5;
    // Percentiles of equal values may be the same float. Then the quotient is not a number.
    return exact >= 0 ? static_cast<int>(std::min(exact, static_cast<double>(steps))) : 0;
  };
  int byte = 0;
  if (value < p.p25) {
    byte = step(p.p0, p.p25, 64);
  } else if (value < p.p75) {
    byte = 64 + step(p.p25, p.p75, 128);
  } else {
    byte = 192 + step(p.p75, p.p100, 63);
  }
  return static_cast<char>(byte);
}

template <typename T>
void append_plain(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_columns(std::span<const float> values, std::int64_t rows, std::int64_t cols,
                    const Scale& scale, std::string& to) {
  std::vector<float> column(static_cast<std::size_t>(rows));
  std::string bytes;
  bytes.reserve(values.size());
  for (std::int64_t c = 0; c < cols; ++c) {
    const auto value_at = [&](std::int64_t r) {
      return values[static_cast<std::size_t>(r * cols + c)];
    };
    for (std::int64_t r = 0; r < rows; ++r) column[static_cast<std::size_t>(r)] = value_at(r);
    const auto numbers = percentile_numbers(scale, column);
    for (const std::uint16_t number : numbers) append_plain(to, number);
    const Percentiles p =
        percentiles_at(std::as_bytes(std::span(numbers)).data(), scale.min_value, scale.range);
    for (std::int64_t r = 0; r < rows; ++r) bytes += byte_of(p, value_at(r));
  }
  to += bytes;
}

}  // namespace

template <typename T>
void decode_compressed(const KaldiHead& head, std::span<const std::byte> data,
                       const KaldiRange& rows, const KaldiRange& cols, std::span<T> to) noexcept {
  assert(rows.first >= 0 && rows.count >= 0 && rows.first + rows.count <= head.rows);
  assert(cols.first >= 0 && cols.count >= 0 && cols.first + cols.count <= head.cols);
  assert(std::ssize(to) == rows.count * cols.count);
  if (to.empty()) return;
  switch (head.compression) {
    case KaldiCompression::two_byte:
      return decode_rows<std::uint16_t>(head, data, rows, cols, to.data());
    case KaldiCompression::one_byte:
      return decode_rows<std::uint8_t>(head, data, rows, cols, to.data());
    case KaldiCompression::columns:
      break;
  }
  std::int64_t done = 0;
#if defined(__x86_64__)
  if constexpr (std::is_same_v<T, float>) {
    if (rows.count >= kKernelRowsMin && simd_level() >= SimdLevel::avx512) {
      done = decode_with_kernel(head, data, rows, cols, to.data());
    }
  }
#endif
  for (std::int64_t c = done; c < cols.count; c += kBlockCols) {
    decode_columns(head, data, cols.first + c, std::min(kBlockCols, cols.count - c), rows,
                   to.data() + c, cols.count);
  }
}

template void decode_compressed(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                                const KaldiRange&, std::span<float>) noexcept;
template void decode_compressed(const KaldiHead&, std::span<const std::byte>, const KaldiRange&,
                                const KaldiRange&, std::span<double>) noexcept;

bool encode_compressed(std::span<const float> values, std::int64_t rows, std::int64_t cols,
                       KaldiMethod method, std::string& to) {
  assert(std::ssize(values) == rows * cols);
  constexpr std::string_view kBegin("\0B", 2);
  constexpr std::int64_t kFewRows = 8;
  if (method == KaldiMethod::automatic) {
    method = rows > kFewRows ? KaldiMethod::speech_feature : KaldiMethod::two_byte;
  }
  if (values.empty()) {
    to.append(kBegin).append("CM ").append(16, '\0');
    return true;
  }
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return false;
  const Scale scale = scale_of(values, method);
  if (!std::isfinite(scale.range)) return false;
  const bool is_columns = method == KaldiMethod::speech_feature;
  const bool is_two_byte =
      method == KaldiMethod::two_byte || method == KaldiMethod::two_byte_signed_integer;
  to.append(kBegin).append(is_columns ? "CM " : is_two_byte ? "CM2 " : "CM3 ");
  append_plain(to, scale.min_value);
  append_plain(to, scale.range);
  append_plain(to, static_cast<std::int32_t>(rows));
  append_plain(to, static_cast<std::int32_t>(cols));
  if (is_columns) {
    append_columns(values, rows, cols, scale, to);
  } else if (is_two_byte) {
    for (const float v : values)
      append_plain(to, static_cast<std::uint16_t>(step_of(scale, v, 65535)));
  } else {
    for (const float v : values) to += static_cast<char>(step_of(scale, v, 255));
  }
  return true;
}

}  // namespace sheaf::internal
