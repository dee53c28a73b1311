#include "core/element_cast.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include "base/unaligned.h"

// Values are loaded and stored by memcpy, which takes any alignment and costs nothing. The loops
// have no branch, and count with integers as wide as the values, so that the compiler makes vectors
// of them.

namespace sheaf::internal {
namespace {

// Bits of f64 values without their sign compare as the values do.
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr auto kInfinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());

/// The least f64 that rounds to infinity: the largest f32 and half a step. A tie goes to even, and
/// that is infinity here.
constexpr auto kBeyondF32 = std::bit_cast<std::uint64_t>(0x1.ffffffp127);

void widen(const std::byte* from, std::byte* to, std::int64_t count) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = load<float>(from + 4 * i);
    std::memcpy(to + 8 * i, &value, sizeof(value));
  }
}

std::int64_t narrow(const std::byte* from, std::byte* to, std::int64_t count) noexcept {
  std::uint64_t out_of_range = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = load<double>(from + 8 * i);
    const auto narrowed = static_cast<float>(value);
    std::memcpy(to + 4 * i, &narrowed, sizeof(narrowed));
    // A difference below 0 has the sign bit: size >= kBeyondF32 and size < kInfinity.
    const std::uint64_t size = std::bit_cast<std::uint64_t>(value) & ~kSignBit;
    out_of_range += ((kBeyondF32 - 1 - size) & (size - kInfinity)) >> 63;
  }
  return static_cast<std::int64_t>(out_of_range);
}

}  // namespace

bool can_cast(ElementType from, ElementType to) noexcept {
  const auto is_floating = [](ElementType type) {
    return type == ElementType::f32 || type == ElementType::f64;
  };
  return from == to || (is_floating(from) && is_floating(to));
}

std::int64_t cast_elements(ElementType from_type, const std::byte* from, ElementType to_type,
                           std::byte* to, std::int64_t count) noexcept {
  assert(can_cast(from_type, to_type));
  if (count == 0) return 0;
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<std::size_t>(count * element_size(from_type)));
    return 0;
  }
  if (to_type == ElementType::f32) return narrow(from, to, count);
  widen(from, to, count);
  return 0;
}

}  // namespace sheaf::internal
