#include "reference/sheaf_values.h"

#include <bit>
#include <cmath>

#include "sheaf/float16.h"

#include "reference/sheaf_codecs.h"

namespace sheaf::conformance::container {
namespace {

// The range of a whole type: from -2^low or 0 to just below 2^high.
struct WholeRange {
  double begin;
  double end;
};

WholeRange range_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return {0, 0x1p8};
    case ElementType::u16:
      return {0, 0x1p16};
    case ElementType::i32:
      return {-0x1p31, 0x1p31};
    default:
      return {-0x1p63, 0x1p63};
  }
}

// A floating-point type: the number of bits of its fractions, and the largest number.
struct FloatingRange {
  int digits;
  double largest;
};

FloatingRange floating_range_of(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return {11, 65504};
    case ElementType::bf16:
      return {8, 0x1.fep127};
    case ElementType::f32:
      return {24, 0x1.fffffep127};
    default:
      return {53, 0x1.fffffffffffffp1023};
  }
}

// Returns a value of a type of at most 32 bits.
float float_of(std::uint64_t bits, ElementType type) {
  const auto half = static_cast<std::uint16_t>(bits);
  if (type == ElementType::f16) return to_float(Float16{half});
  if (type == ElementType::bf16) return to_float(BFloat16{half});
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

double double_of(std::uint64_t bits, ElementType type) {
  return type == ElementType::f64 ? std::bit_cast<double>(bits) : double{float_of(bits, type)};
}

std::uint64_t rounded_bits(double value, ElementType to) {
  if (to == ElementType::f16) return to_float16(value).bits;
  if (to == ElementType::bf16) return to_bfloat16(value).bits;
  if (to == ElementType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

std::optional<std::uint64_t> from_whole(std::uint64_t bits, ElementType from, ElementType to) {
  const auto number = static_cast<std::int64_t>(with_sign(bits, from));
  if (is_whole(to)) {
    const std::uint64_t low = low_bytes(static_cast<std::uint64_t>(number), to);
    if (static_cast<std::int64_t>(with_sign(low, to)) != number) return std::nullopt;
    return low;
  }
  const FloatingRange range = floating_range_of(to);
  std::uint64_t size = static_cast<std::uint64_t>(number);
  if (number < 0) size = 0 - size;
  std::uint64_t odd = size;
  while (odd != 0 && odd % 2 == 0) odd /= 2;
  if (odd >> range.digits != 0) return std::nullopt;
  const auto value = static_cast<double>(number);  // exact: 53 digits are enough
  if (std::abs(value) > range.largest) return std::nullopt;
  return rounded_bits(value, to);
}

}  // namespace

std::optional<std::uint64_t> converted(std::uint64_t bits, ElementType from, ElementType to) {
  if (from == to) return bits;
  if (is_whole(from)) return from_whole(bits, from, to);
  if (is_whole(to)) {
    const double value = double_of(bits, from);
    const WholeRange range = range_of(to);
    const bool fits = value >= range.begin && value < range.end && std::trunc(value) == value;
    if (!fits) return std::nullopt;
    return low_bytes(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), to);
  }
  // A narrow NaN keeps its bits as f32. By way of f64, the NaN could change.
  if (to == ElementType::f32 && from != ElementType::f64) {
    return std::bit_cast<std::uint32_t>(float_of(bits, from));
  }
  return rounded_bits(double_of(bits, from), to);
}

}  // namespace sheaf::conformance::container
