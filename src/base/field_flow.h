// What kernels of all sets of instructions have in common: from lists of tokens to fields. Each
// includes this for itself, behind its own target; and before that all that is included here, so
// that nothing of the standard library is compiled for instructions that the machine may lack.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/field_kernels.h"
#include "base/number.h"

namespace sheaf::internal {
namespace {

/// Tokens of a piece of a field, as offsets in it.
struct Places {  // NOLINT: lists are as long as find() writes them
  static constexpr std::int64_t kTextMax = 4096;
  static constexpr std::size_t kSize = kTextMax / 2 + 64;  // lists are written 32 at a time

  std::array<std::uint16_t, kSize> starts;
  std::array<std::uint16_t, kSize> ends;
  std::array<std::uint16_t, kSize> colons;
  std::int64_t count;      // tokens, or pairs
  std::int64_t stop = -1;  // where the field ends; -1: not here
  std::int64_t next;       // where to go on behind them

  /// Where the first `good` tokens end.
  [[nodiscard]] std::int64_t end_of(std::int64_t good) const {
    return good > 0 ? ends[static_cast<std::size_t>(good) - 1] : 0;
  }

  /// The lists are there, so many of each. Some repeat behind the last, for those who look at
  /// eight.
  template <bool kHasPairs>
  void finish(std::int64_t start_count, std::int64_t end_count, std::int64_t colon_count) {
    count = std::min(start_count, end_count);
    if constexpr (kHasPairs) count = std::min(count, colon_count);
    const auto n = static_cast<std::size_t>(count);
    // With one too many of a kind, what lies behind the last good token is looked at by others.
    const bool is_through = stop >= 0 && start_count == count && colon_count <= count;
    next = is_through ? stop : end_of(count);
    if (count == 0) return;
    std::fill_n(starts.data() + n, 7, starts[n - 1]);
    std::fill_n(ends.data() + n, 7, ends[n - 1]);
    if constexpr (kHasPairs) std::fill_n(colons.data() + n, 7, colons[n - 1]);
  }
};

/// Convert the marked ones of eight tokens one by one. Returns the first that is no number, or 8.
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

/// The mask of `size` of eight.
constexpr unsigned first_of_eight(std::int64_t size) { return size < 8 ? (1U << size) - 1 : 0xFFU; }

/// Values of the tokens listed, into `field`. Returns how many were converted: all, or those before
/// the first that is no number.
template <typename Simd, typename T>
std::int64_t convert_listed(const char* text, const Places& places, std::int64_t count, T* values) {
  std::array<T, 8> rest{};
  for (std::int64_t i = 0; i < count; i += 8) {
    const std::uint16_t* const starts = places.starts.data() + i;
    const std::uint16_t* const ends = places.ends.data() + i;
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
    const std::uint16_t* const starts = places.starts.data() + i;
    const std::uint16_t* const colons = places.colons.data() + i;
    const std::uint16_t* const ends = places.ends.data() + i;
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
