// Code that all kernels share, from lists of tokens to fields. Each kernel file includes this
// header behind its own target, and includes the headers below before that. Otherwise functions of
// the standard library could be compiled for instructions that the machine lacks.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/number.h"
#include "format/text/field_kernels.h"
#include "format/text/red_zone.h"

namespace sheaf::internal {
namespace {

/// The bytes of a field in one piece, and in one block of a piece.
constexpr std::int64_t kPieceSize = 4096;
constexpr std::int64_t kBlockSize = 64;
static_assert(kPieceSize % kBlockSize == 0 && kPieceSize <= 65'536, "offsets have 16 bits");

/// Offsets in a piece of one kind of byte. Each block holds at most kBlockMax of them.
///
/// Bound: kMax = kBlockMax for each block of a piece. Kernels write up to kSpare entries at a time
///        and read eight at a time, so kSpare entries follow the last entry that can be in use.
template <std::int64_t kBlockMax>
class OffsetList {
 public:
  static constexpr std::int64_t kMax = kPieceSize / kBlockSize * kBlockMax;
  static constexpr std::int64_t kSpare = kBlockSize;

  OffsetList() = default;  // NOLINT: the entries in use are written before they are read

  /// Returns where the `size` entries of a block go, after the `count` entries in use. The caller
  /// may write up to kSpare entries.
  ///
  /// Pre: the bound holds: size <= kBlockMax, and count + size <= kMax.
  [[nodiscard]] std::uint16_t* append(std::int64_t count, std::int64_t size) {
    static_cast<void>(size);  // without assertions
    assert(0 <= size && size <= kBlockMax);
    assert(0 <= count && count <= kMax - size);
    return entries_.data() + count;
  }

  /// Returns eight entries from entry `i`. The entries after the last one in use repeat it.
  ///
  /// Pre: 0 <= i < kMax.
  [[nodiscard]] const std::uint16_t* eight_from(std::int64_t i) const {
    assert(0 <= i && i < kMax);
    static_assert(kSpare >= 8);
    return entries_.data() + i;
  }

  [[nodiscard]] std::uint16_t operator[](std::int64_t i) const {
    assert(0 <= i && i < kMax);
    return entries_[static_cast<std::size_t>(i)];
  }

  /// Repeats the last of `count` entries, so that eight entries can be read from each.
  ///
  /// Pre: 1 <= count <= kMax.
  void repeat_last(std::int64_t count) {
    assert(1 <= count && count <= kMax);
    static_assert(kSpare >= 7);
    std::uint16_t* const behind = entries_.data() + count;
    std::fill_n(behind, 7, behind[-1]);
  }

 private:
  std::array<std::uint16_t, static_cast<std::size_t>(kMax + kSpare)> entries_;
};

/// The tokens in a piece of a field, as offsets.
struct Places {  // NOLINT: the constructor leaves the lists as they are
  // Another byte lies between two starts and between two ends. Colons may stand side by side.
  [[no_unique_address]] RedZone zone_before;
  OffsetList<kBlockSize / 2> starts;
  [[no_unique_address]] RedZone zone_behind_starts;
  OffsetList<kBlockSize / 2> ends;
  [[no_unique_address]] RedZone zone_behind_ends;
  OffsetList<kBlockSize> colons;
  [[no_unique_address]] RedZone zone_behind_colons;
  std::int64_t count;      // tokens, or pairs
  std::int64_t stop = -1;  // offset of the end of the field; -1 if the end is not in this piece
  std::int64_t next;       // offset at which to continue after these tokens

  /// Returns whether nothing was written outside the lists.
  [[nodiscard]] bool is_intact() const {
    return zone_before.is_intact() && zone_behind_starts.is_intact() &&
           zone_behind_ends.is_intact() && zone_behind_colons.is_intact();
  }

  /// Returns the end of the first `good` tokens.
  [[nodiscard]] std::int64_t end_of(std::int64_t good) const {
    return good > 0 ? ends[good - 1] : 0;
  }

  /// Completes the lists, given the number of entries found.
  template <bool kHasPairs>
  void finish(std::int64_t start_count, std::int64_t end_count, std::int64_t colon_count) {
    count = std::min(start_count, end_count);
    if constexpr (kHasPairs) count = std::min(count, colon_count);
    // If one kind has an extra entry, other code looks at the text after the last good token.
    const bool is_through = stop >= 0 && start_count == count && colon_count <= count;
    next = is_through ? stop : end_of(count);
    if (count > 0) {
      starts.repeat_last(count);
      ends.repeat_last(count);
      if constexpr (kHasPairs) colons.repeat_last(count);
    }
    assert(is_intact());
  }
};

/// Converts the marked tokens, out of eight, one by one. Returns the first that is not a number, or
/// 8.
template <typename T>
int convert_marked(unsigned marked, const char* text, const std::uint16_t* starts,
                   const std::uint16_t* ends, int start_distance, T* values) {
  for (; marked != 0; marked &= marked - 1) {
    const int i = std::countr_zero(marked);
    const char* const first = text + starts[i] + start_distance;
    const char* const last = text + ends[i];
    if (first >= last) return i;
    const NumberResult result = lex_number(first, last, values[i]);
    if (result.code != NumberCode::ok || result.next != last) return i;
  }
  return 8;
}

/// Returns the mask of the first `size` of eight tokens.
constexpr unsigned first_of_eight(std::int64_t size) { return size < 8 ? (1U << size) - 1 : 0xFFU; }

/// Converts listed tokens to `values`. Returns the number of converted tokens: all, or those before
/// the first that is not a number.
template <typename Simd, typename T>
std::int64_t convert_listed(const char* text, const Places& places, std::int64_t count, T* values) {
  std::array<T, 8> rest{};
  for (std::int64_t i = 0; i < count; i += 8) {
    const std::uint16_t* const starts = places.starts.eight_from(i);
    const std::uint16_t* const ends = places.ends.eight_from(i);
    const std::int64_t size = std::min<std::int64_t>(8, count - i);
    T* const into = size == 8 ? values + i : rest.data();
    const unsigned marked = Simd::convert(text, starts, ends, 0, into) & first_of_eight(size);
    int good = 8;
    if (marked != 0) [[unlikely]]
      good = convert_marked(marked, text, starts, ends, 0, into);
    if (size < 8) std::copy_n(rest.data(), size, values + i);
    if (good < size) return i + good;
  }
  return count;
}

template <typename Simd, typename T>
const char* convert_values(const char* p, ValueField<T>& field) {
  if (Simd::looks_small(p)) p = Simd::convert_small(p, field);
  for (;;) {
    Places places;
    Simd::template find<false>(p, places);
    const std::int64_t count = std::min(places.count, field.limit - field.count);
    const std::int64_t good = convert_listed<Simd>(p, places, count, field.values + field.count);
    field.count += good;
    if (good < places.count) return p + places.end_of(good);
    p += places.next;
    if (places.stop >= 0 || places.next == 0) return p;
  }
}

template <typename Simd, typename T, typename Index>
std::int64_t convert_listed_pairs(const char* text, const Places& places, std::int64_t count,
                                  std::int64_t dim, T* values, Index* indices) {
  std::array<T, 8> rest{};
  std::array<Index, 8> rest_indices{};
  for (std::int64_t i = 0; i < count; i += 8) {
    const std::uint16_t* const starts = places.starts.eight_from(i);
    const std::uint16_t* const colons = places.colons.eight_from(i);
    const std::uint16_t* const ends = places.ends.eight_from(i);
    const std::int64_t size = std::min<std::int64_t>(8, count - i);
    T* const into = size == 8 ? values + i : rest.data();
    Index* const into_indices = size == 8 ? indices + i : rest_indices.data();
    const unsigned wrong = Simd::convert_indices(text, starts, colons, dim, into_indices);
    const unsigned marked = Simd::convert(text, colons, ends, 1, into);
    int good = 8;
    if (((wrong | marked) & first_of_eight(size)) != 0) [[unlikely]] {
      good = std::countr_zero(wrong | 0x100U);
      good =
          std::min(good, convert_marked(marked & first_of_eight(std::min<std::int64_t>(good, size)),
                                        text, colons, ends, 1, into));
    }
    if (size < 8) {
      std::copy_n(rest.data(), size, values + i);
      std::copy_n(rest_indices.data(), size, indices + i);
    }
    if (good < size) return i + good;
  }
  return count;
}

template <typename Index>
bool ascends(const Index* indices, std::int64_t count) {
  bool is_sorted = true;
  for (std::int64_t i = 1; i < count; ++i) is_sorted &= indices[i - 1] < indices[i];
  return is_sorted;
}

template <typename Simd, typename T, typename Index>
const char* convert_pairs(const char* p, PairField<T, Index>& field) {
  for (;;) {
    Places places;
    Simd::template find<true>(p, places);
    const std::int64_t count = std::min(places.count, field.limit - field.count);
    const std::int64_t good = convert_listed_pairs<Simd>(
        p, places, count, field.dim, field.values + field.count, field.indices + field.count);
    const std::int64_t first = std::max<std::int64_t>(0, field.count - 1);
    field.count += good;
    field.is_sorted = field.is_sorted && ascends(field.indices + first, field.count - first);
    if (good < places.count) return p + places.end_of(good);
    p += places.next;
    if (places.stop >= 0 || places.next == 0) return p;
  }
}

template <typename Simd>
constexpr FieldKernels kernels_of() {
  return {.count_until = Simd::count_until,
          .values_f32 = convert_values<Simd, float>,
          .values_f64 = convert_values<Simd, double>,
          .pairs_f32_i32 = convert_pairs<Simd, float, std::int32_t>,
          .pairs_f32_i64 = convert_pairs<Simd, float, std::int64_t>,
          .pairs_f64_i32 = convert_pairs<Simd, double, std::int32_t>,
          .pairs_f64_i64 = convert_pairs<Simd, double, std::int64_t>};
}

}  // namespace
}  // namespace sheaf::internal
