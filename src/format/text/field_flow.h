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
#include <limits>
#include <type_traits>

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
struct TokenLists {  // NOLINT: the constructor leaves the lists as they are
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
std::int64_t convert_listed(const char* text, const TokenLists& tokens, std::int64_t count,
                            T* values) {
  std::array<T, 8> rest{};
  for (std::int64_t i = 0; i < count; i += 8) {
    const std::uint16_t* const starts = tokens.starts.eight_from(i);
    const std::uint16_t* const ends = tokens.ends.eight_from(i);
    const std::int64_t size = std::min<std::int64_t>(8, count - i);
    T* const into = size == 8 ? values + i : rest.data();
    unsigned marked = 0;
    if constexpr (std::is_integral_v<T>) {
      constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
      marked = Simd::convert_indices(text, starts, ends, kAny, into);
    } else {
      marked = Simd::convert(text, starts, ends, 0, into);
    }
    marked &= first_of_eight(size);
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
    TokenLists tokens;
    Simd::template find<false>(p, tokens);
    const std::int64_t count = std::min(tokens.count, field.limit - field.count);
    const std::int64_t good = convert_listed<Simd>(p, tokens, count, field.values + field.count);
    field.count += good;
    if (good < tokens.count) return p + tokens.end_of(good);
    p += tokens.next;
    if (tokens.stop >= 0 || tokens.next == 0) return p;
  }
}

template <typename Simd, typename T, typename Index>
std::int64_t convert_listed_pairs(const char* text, const TokenLists& tokens, std::int64_t count,
                                  std::int64_t dim, T* values, Index* indices) {
  std::array<T, 8> rest{};
  std::array<Index, 8> rest_indices{};
  for (std::int64_t i = 0; i < count; i += 8) {
    const std::uint16_t* const starts = tokens.starts.eight_from(i);
    const std::uint16_t* const colons = tokens.colons.eight_from(i);
    const std::uint16_t* const ends = tokens.ends.eight_from(i);
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
  Index wrong = 0;  // as wide as an index, so that compilers compare several at once
  for (std::int64_t i = 1; i < count; ++i) {
    wrong |= static_cast<Index>(indices[i - 1] < indices[i] ? 0 : 1);
  }
  return wrong == 0;
}

template <typename Simd, typename T, typename Index>
const char* convert_pairs(const char* p, PairField<T, Index>& field) {
  for (;;) {
    TokenLists tokens;
    Simd::template find<true>(p, tokens);
    const std::int64_t count = std::min(tokens.count, field.limit - field.count);
    const std::int64_t good = convert_listed_pairs<Simd>(
        p, tokens, count, field.dim, field.values + field.count, field.indices + field.count);
    const std::int64_t first = std::max<std::int64_t>(0, field.count - 1);
    field.count += good;
    field.is_sorted = field.is_sorted && ascends(field.indices + first, field.count - first);
    if (good < tokens.count) return p + tokens.end_of(good);
    p += tokens.next;
    if (tokens.stop >= 0 || tokens.next == 0) return p;
  }
}

/// Bytes of a list of JSON by class, with a bit for each byte.
struct ListBytes {
  std::uint64_t blanks;
  std::uint64_t commas;
  std::uint64_t stops;  // "]" and control bytes other than tab
  std::uint64_t digits;
  std::uint64_t zeros;
  std::uint64_t minuses;
  std::uint64_t points;
};

/// Checks what the kernels do not check when they convert tokens: the commas of a list, and where
/// numbers of JSON have digits.
class ListGrammar {
 public:
  /// The check begins at the front of a list, or at the end of an element.
  explicit ListGrammar(bool has_elements) noexcept
      : has_comma_(has_elements ? 0 : 1), has_elements_(has_elements) {}

  /// Takes 64 bytes. `looked_at` marks the bytes up to the first stop, `begun` those that begin a
  /// token. Returns a mask that is not 0 if the list is wrong.
  [[nodiscard]] std::uint64_t take(const ListBytes& of, std::uint64_t looked_at,
                                   std::uint64_t begun) noexcept {
    // A comma turns the rest of its gap into zeros and the bit after the gap into a one. So a
    // second comma of the gap stays a one, and an element without a comma before it has a zero.
    const std::uint64_t commas = of.commas & looked_at;
    const std::uint64_t gaps = (of.blanks & looked_at) | commas;
    std::uint64_t sum = 0;
    bool carries = __builtin_add_overflow(gaps, commas, &sum);
    carries |= __builtin_add_overflow(sum, has_comma_, &sum);
    has_comma_ = carries ? 1 : 0;
    std::uint64_t wrong = (sum & commas) | (begun & ~sum);
    has_elements_ |= begun != 0;
    const std::uint64_t end = of.stops & looked_at;
    if (has_elements_) wrong |= sum & end;  // a comma before the end

    const std::uint64_t signs = begun & of.minuses;
    const std::uint64_t firsts = (begun & ~signs) | shifted(signs, sign_);
    const std::uint64_t points = of.points & looked_at;
    wrong |= firsts & ~of.digits;
    wrong |= shifted(firsts & of.zeros, zero_) & of.digits;
    wrong |= shifted(points, point_) & ~of.digits;
    wrong |= points & ~shifted(of.digits, digit_);
    return wrong & looked_at;
  }

 private:
  /// Moves bits to the next byte. `carry` is the bit that leaves and enters.
  static std::uint64_t shifted(std::uint64_t bits, std::uint64_t& carry) noexcept {
    const std::uint64_t moved = (bits << 1) | carry;
    carry = bits >> 63;
    return moved;
  }

  std::uint64_t has_comma_;  // whether the current gap has a comma, or needs none
  bool has_elements_;
  std::uint64_t sign_ = 0;
  std::uint64_t zero_ = 0;
  std::uint64_t point_ = 0;
  std::uint64_t digit_ = 0;
};

/// Finds the elements of a list, up to its end or until the lists are full. Returns
/// whether the list is right so far.
template <typename Simd>
bool find_elements(const char* text, TokenLists& tokens, bool has_elements) {
  ListGrammar grammar(has_elements);
  std::int64_t starts = 0;
  std::int64_t ends = 0;
  std::uint64_t before = 1;  // whether the byte before is in a gap
  std::uint64_t wrong = 0;
  for (std::int64_t offset = 0; offset < kPieceSize; offset += kBlockSize) {
    const ListBytes of = Simd::list_bytes(text + offset);
    const std::uint64_t looked_at = of.stops != 0 ? of.stops ^ (of.stops - 1) : ~std::uint64_t{0};
    const std::uint64_t gaps = (of.blanks | of.commas | of.stops) & looked_at;
    const std::uint64_t behind_gap = (gaps << 1) | before;
    const std::uint64_t begun = ~gaps & behind_gap & looked_at;
    before = gaps >> 63;
    Simd::append(begun, offset, tokens.starts, starts);
    Simd::append(gaps & ~behind_gap, offset, tokens.ends, ends);
    wrong |= grammar.take(of, looked_at, begun);
    if (of.stops != 0) {
      tokens.stop = offset + std::countr_zero(of.stops);
      break;
    }
  }
  tokens.finish<false>(starts, ends, 0);
  return wrong == 0;
}

template <typename Simd, typename T>
const char* convert_list(const char* p, ValueField<T>& field) {
  for (;;) {
    TokenLists tokens;
    if (!find_elements<Simd>(p, tokens, field.count > 0)) return nullptr;
    const std::int64_t count = std::min(tokens.count, field.limit - field.count);
    const std::int64_t good = convert_listed<Simd>(p, tokens, count, field.values + field.count);
    field.count += good;
    if (good < tokens.count) return nullptr;
    p += tokens.stop >= 0 ? tokens.stop : tokens.next;
    if (tokens.stop >= 0) return *p == ']' ? p + 1 : nullptr;
    if (tokens.count == 0) return nullptr;
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
          .pairs_f64_i64 = convert_pairs<Simd, double, std::int64_t>,
          .list_f32 = convert_list<Simd, float>,
          .list_f64 = convert_list<Simd, double>,
          .list_i32 = convert_list<Simd, std::int32_t>,
          .list_i64 = convert_list<Simd, std::int64_t>};
}

}  // namespace
}  // namespace sheaf::internal
