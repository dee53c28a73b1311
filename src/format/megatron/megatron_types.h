// The types of tokens.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf::megatron {

/// A type that a list may name.
struct TokenType {
  std::uint8_t code = 0;
  std::string_view name;  // in NumPy
  std::int64_t size_bytes = 0;

  /// The type of the stream unless another is declared. int8 and int16 have no ElementType, so they
  /// become i32.
  ElementType element_type = ElementType::i32;

  /// Returns whether the bytes of the file are values of `element_type`.
  [[nodiscard]] bool is_as_stored() const noexcept {
    return size_bytes == element_size(element_type);
  }
};

inline constexpr std::array<TokenType, 8> kTokenTypes = {{
    {.code = 1, .name = "uint8", .size_bytes = 1, .element_type = ElementType::u8},
    {.code = 2, .name = "int8", .size_bytes = 1, .element_type = ElementType::i32},
    {.code = 3, .name = "int16", .size_bytes = 2, .element_type = ElementType::i32},
    {.code = 4, .name = "int32", .size_bytes = 4, .element_type = ElementType::i32},
    {.code = 5, .name = "int64", .size_bytes = 8, .element_type = ElementType::i64},
    {.code = 6, .name = "float64", .size_bytes = 8, .element_type = ElementType::f64},
    {.code = 7, .name = "float32", .size_bytes = 4, .element_type = ElementType::f32},
    {.code = 8, .name = "uint16", .size_bytes = 2, .element_type = ElementType::u16},
}};

/// Returns the type for a code, or nothing if the code has no type.
[[nodiscard]] constexpr std::optional<TokenType> token_type_of_code(std::uint8_t code) noexcept {
  for (const TokenType& type : kTokenTypes) {
    if (type.code == code) return type;
  }
  return std::nullopt;
}

/// Returns the type in files for values of an ElementType, or nothing if the files have no such
/// type.
[[nodiscard]] constexpr std::optional<TokenType> token_type_of(ElementType element) noexcept {
  for (const TokenType& type : kTokenTypes) {
    if (type.element_type == element && type.code != 2 && type.code != 3) return type;
  }
  return std::nullopt;
}

/// Returns whether a stream of type `to` can represent every value of `from`.
[[nodiscard]] bool can_become(const TokenType& from, ElementType to) noexcept;

/// Converts stored tokens to values of `to`.
///
/// Pre: can_become(from, to).
void convert_tokens(const TokenType& from, const std::byte* stored, std::int64_t count,
                    ElementType to, std::byte* values) noexcept;

}  // namespace sheaf::megatron
