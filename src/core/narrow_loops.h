// The loops of narrow values. Each kernel file includes this header behind its own target, and
// includes the headers below before that. Otherwise functions of the standard library could be
// compiled for instructions that the machine lacks.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/narrow_kernel.h"

namespace sheaf::internal {
namespace {

/// Constants for conversions between floating-point and whole numbers by addition. A number of the
/// size of kBig has no bits for a fraction, so adding it to a small whole number leaves that number
/// in the low bits. Unlike a cast, this has no out-of-range values and can be vectorised.
template <typename T>
struct Whole;
template <>
struct Whole<float> {
  using Int = std::int32_t;
  static constexpr float kBig = 0x1.8p23F;
};
template <>
struct Whole<double> {
  using Int = std::int64_t;
  static constexpr double kBig = 0x1.8p52;
};

template <typename T>
typename Whole<T>::Int whole_of(T value) noexcept {
  using Int = typename Whole<T>::Int;
  using Bits = std::make_unsigned_t<Int>;
  return static_cast<Int>(std::bit_cast<Bits>(value + Whole<T>::kBig) -
                          std::bit_cast<Bits>(Whole<T>::kBig));
}

template <typename T>
T value_of(typename Whole<T>::Int whole) noexcept {
  using Bits = std::make_unsigned_t<typename Whole<T>::Int>;
  return std::bit_cast<T>(static_cast<Bits>(whole) + std::bit_cast<Bits>(Whole<T>::kBig)) -
         Whole<T>::kBig;
}

// Values are checked in blocks. The first block with an unsuitable value ends the search.
constexpr std::int64_t kBlock = 1024;

/// Extends the range by the values of a block. Returns whether all are whole numbers other than -0.
template <typename T>
bool extend(NarrowRange& range, const T* values, std::int64_t count) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    using Int = typename Whole<T>::Int;
    using Bits = std::make_unsigned_t<Int>;
    Int least = std::numeric_limits<Int>::max();
    Int greatest = std::numeric_limits<Int>::min();
    Bits differences = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const Int whole = whole_of(values[i]);
      differences |= std::bit_cast<Bits>(values[i]) ^ std::bit_cast<Bits>(value_of<T>(whole));
      least = std::min(least, whole);
      greatest = std::max(greatest, whole);
    }
    if (differences != 0) return false;
    range.least = std::min<std::int64_t>(range.least, least);
    range.greatest = std::max<std::int64_t>(range.greatest, greatest);
  } else {
    T least = values[0];
    T greatest = values[0];
    for (std::int64_t i = 1; i < count; ++i) {
      least = std::min(least, values[i]);
      greatest = std::max(greatest, values[i]);
    }
    range.least = std::min<std::int64_t>(range.least, least);
    range.greatest = std::max<std::int64_t>(range.greatest, greatest);
  }
  return true;
}

/// Calls visit(T()) if values of the type can be made narrow.
template <typename Visit>
void visit_type(ElementType type, const Visit& visit) {
  if (type == ElementType::f32) visit(float());
  if (type == ElementType::f64) visit(double());
  if (type == ElementType::i32) visit(std::int32_t());
  if (type == ElementType::i64) visit(std::int64_t());
  if (type == ElementType::u16) visit(std::uint16_t());
}

template <typename Visit>
void visit_code(std::int64_t code_size, const Visit& visit) {
  if (code_size == 1) visit(std::uint8_t());
  if (code_size == 2) visit(std::uint16_t());
  if (code_size == 4) visit(std::uint32_t());
}

/// The type for adding base and code, no wider than necessary.
template <typename T>
using Sum = std::make_unsigned_t<std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>>;

template <typename T, typename Code>
void encode(const T* values, std::int64_t count, std::int64_t base, Code* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    Sum<T> whole = 0;
    if constexpr (std::is_floating_point_v<T>) {
      whole = static_cast<Sum<T>>(whole_of(values[i]));
    } else {
      whole = static_cast<Sum<T>>(values[i]);
    }
    to[i] = static_cast<Code>(whole - static_cast<Sum<T>>(base));
  }
}

template <typename T, typename Code>
void decode(const Code* from, std::int64_t count, std::int64_t base, T* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const Sum<T> whole = static_cast<Sum<T>>(base) + static_cast<Sum<T>>(from[i]);
    if constexpr (std::is_floating_point_v<T>) {
      to[i] = value_of<T>(static_cast<typename Whole<T>::Int>(whole));
    } else {
      to[i] = static_cast<T>(whole);
    }
  }
}

/// Calls visit(T(), Code()) for the types of a form.
template <typename Visit>
void visit_form(const NarrowForm& form, const Visit& visit) {
  visit_type(form.type, [&]<typename T>(T type) {
    visit_code(form.code_size, [&]<typename Code>(Code code) { visit(type, code); });
  });
}

bool find_range(const std::byte* values, std::int64_t count, ElementType type,
                NarrowRange& range) noexcept {
  bool is_narrow = false;
  visit_type(type, [&]<typename T>(T /*type*/) {
    const T* const all = reinterpret_cast<const T*>(values);
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      if (!extend(range, all + begin, std::min(kBlock, count - begin))) return;
      if (code_size_for(range) >= static_cast<std::int64_t>(sizeof(T))) return;
    }
    is_narrow = true;
  });
  return is_narrow;
}

void write_codes(const std::byte* values, const NarrowForm& form, std::byte* to) noexcept {
  visit_form(form, [&]<typename T, typename Code>(T /*type*/, Code /*code*/) {
    encode(reinterpret_cast<const T*>(values), form.count, form.base, reinterpret_cast<Code*>(to));
  });
}

void write_values(const std::byte* codes, std::int64_t count, const NarrowForm& form,
                  std::byte* to) noexcept {
  visit_form(form, [&]<typename T, typename Code>(T /*type*/, Code /*code*/) {
    decode(reinterpret_cast<const Code*>(codes), count, form.base, reinterpret_cast<T*>(to));
  });
}

constexpr NarrowKernel kNarrowKernel = {
    .find_range = find_range, .encode = write_codes, .decode = write_values};

}  // namespace
}  // namespace sheaf::internal
