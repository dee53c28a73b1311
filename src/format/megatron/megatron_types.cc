#include "format/megatron/megatron_types.h"

#include <cstring>

#include "base/unaligned.h"
#include "core/element_cast.h"

namespace sheaf::megatron {
namespace {

bool is_float(ElementType type) noexcept {
  return type == ElementType::f32 || type == ElementType::f64;
}

template <typename From, typename To>
void widen(const std::byte* stored, std::int64_t count, std::byte* values) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<To>(internal::load<From>(stored, i));  // NOLINT: a number
    std::memcpy(values + i * std::int64_t{sizeof value}, &value, sizeof value);
  }
}

template <typename From>
void widen_to(ElementType to, const std::byte* stored, std::int64_t count,
              std::byte* values) noexcept {
  if (to == ElementType::i32) {
    widen<From, std::int32_t>(stored, count, values);
  } else {
    widen<From, std::int64_t>(stored, count, values);
  }
}

}  // namespace

bool can_become(const TokenType& from, ElementType to) noexcept {
  if (from.element_type == to) return true;
  if (is_float(from.element_type)) return is_float(to) && element_size(to) > from.size_bytes;
  if (to == ElementType::u16) return from.element_type == ElementType::u8;
  return (to == ElementType::i32 || to == ElementType::i64) && element_size(to) > from.size_bytes;
}

void convert_tokens(const TokenType& from, const std::byte* stored, std::int64_t count,
                    ElementType to, std::byte* values) noexcept {
  if (from.is_as_stored()) {
    static_cast<void>(internal::cast_elements(from.element_type, stored, to, values, count));
  } else if (from.size_bytes == 1) {
    widen_to<std::int8_t>(to, stored, count, values);
  } else {
    widen_to<std::int16_t>(to, stored, count, values);
  }
}

}  // namespace sheaf::megatron
