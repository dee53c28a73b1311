#include "core/element_cast.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/unaligned.h"

// Values are loaded and stored by memcpy, which works for any alignment at no cost. The loops
// between f32 and f64 have no branches, and count with integers as wide as the values, so that the
// compiler can vectorise them.

namespace sheaf::internal {
namespace {

// Without the sign, the bits of f64 values compare like the values.
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr auto kInfinity = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());

/// The smallest f64 that rounds to infinity: the largest f32 plus half a step. A tie rounds to
/// even, which is infinity here.
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
    // A negative difference has the sign bit set: size >= kBeyondF32 and size < kInfinity.
    const std::uint64_t size = std::bit_cast<std::uint64_t>(value) & ~kSignBit;
    out_of_range += ((kBeyondF32 - 1 - size) & (size - kInfinity)) >> 63;
  }
  return static_cast<std::int64_t>(out_of_range);
}

/// Returns whether a floating-point number lies within the range of an integer type.
template <typename Whole, typename Floating>
bool in_range_of(Floating value) noexcept {
  // Both ends are powers of two or 0, and so exact. The largest integer itself may not be exact.
  constexpr Whole kHalf = std::numeric_limits<Whole>::max() / 2 + 1;
  constexpr auto kBegin = static_cast<Floating>(std::numeric_limits<Whole>::min());
  constexpr auto kEnd = static_cast<Floating>(kHalf) * 2;
  return value >= kBegin && value < kEnd;
}

/// Returns the nearest value of a floating-point type. A whole number may be rounded twice on the
/// way to f16 or bf16, but never if the result is exact.
template <typename To, typename From>
To rounded(From value) noexcept {
  if constexpr (kIsHalf<To>) {
    return nearest<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// Converts a value. Returns whether the value is preserved.
template <typename From, typename To>
bool cast_value(From from, To& to) noexcept {
  const auto value = arithmetic(from);
  using Value = decltype(arithmetic(from));
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    to = static_cast<To>(value);
    return std::in_range<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    const bool fits = in_range_of<To>(value);
    to = fits ? static_cast<To>(value) : To{0};
    return fits && static_cast<Value>(to) == value;
  } else if constexpr (std::is_integral_v<From>) {
    to = rounded<To>(value);
    const auto back = arithmetic(to);
    return in_range_of<From>(back) && static_cast<From>(back) == value;
  } else {
    to = rounded<To>(value);
    return std::isfinite(arithmetic(to)) || !std::isfinite(value);
  }
}

template <typename From, typename To>
std::int64_t cast_values(const std::byte* from, std::byte* to, std::int64_t count) noexcept {
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    To result{};
    lost += cast_value(load<From>(from, i), result) ? 0 : 1;
    std::memcpy(to + i * std::int64_t{sizeof(To)}, &result, sizeof(To));
  }
  return lost;
}

}  // namespace

bool can_cast(ElementType from, ElementType to) noexcept {
  return from == to || (from != ElementType::bytes && to != ElementType::bytes);
}

bool casts_by_rounding(ElementType from, ElementType to) noexcept {
  return is_floating(from) && is_floating(to);
}

std::int64_t cast_elements(ElementType from_type, const std::byte* from, ElementType to_type,
                           std::byte* to, std::int64_t count) noexcept {
  assert(can_cast(from_type, to_type));
  if (count == 0) return 0;
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<std::size_t>(count * element_size(from_type)));
    return 0;
  }
  return with_zero_of(from_type, [&]<typename From>(From) {
    return with_zero_of(to_type, [&]<typename To>(To) -> std::int64_t {
      if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
        return narrow(from, to, count);
      } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, double>) {
        widen(from, to, count);
        return 0;
      } else {
        return cast_values<From, To>(from, to, count);
      }
    });
  });
}

std::int64_t first_lost(ElementType from_type, const std::byte* from, ElementType to_type,
                        std::int64_t count) noexcept {
  assert(can_cast(from_type, to_type));
  if (from_type == to_type) return count;
  return with_zero_of(from_type, [&]<typename From>(From) {
    return with_zero_of(to_type, [&]<typename To>(To result) {
      std::int64_t i = 0;
      while (i < count && cast_value(load<From>(from, i), result)) ++i;
      return i;
    });
  });
}

}  // namespace sheaf::internal
