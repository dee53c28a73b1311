/// \file
/// The names of element types in options. NumPy and torch use the same names.
///
///     std::cout << sheaf::dtype_word(sheaf::ElementType::i64) << '\n';
///     std::cout << (sheaf::dtype_named("bfloat16") == sheaf::ElementType::bf16) << '\n';

#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf {

/// An element type and its name.
struct DtypeName {
  ElementType type;
  std::string_view word;
};

/// The types of numbers, in the order in which messages list them.
inline constexpr std::array<DtypeName, 8> kDtypeNames = {{
    {ElementType::f32, "float32"},
    {ElementType::f64, "float64"},
    {ElementType::f16, "float16"},
    {ElementType::bf16, "bfloat16"},
    {ElementType::i32, "int32"},
    {ElementType::i64, "int64"},
    {ElementType::u8, "uint8"},
    {ElementType::u16, "uint16"},
}};

/// Returns the name of a type; "bytes" for opaque bytes.
[[nodiscard]] constexpr std::string_view dtype_word(ElementType type) noexcept {
  for (const DtypeName& each : kDtypeNames) {
    if (each.type == type) return each.word;
  }
  return "bytes";
}

/// Returns the type with this name. The name may be "bytes". Returns nothing for other words.
[[nodiscard]] constexpr std::optional<ElementType> stream_dtype_named(
    std::string_view word) noexcept {
  for (const DtypeName& each : kDtypeNames) {
    if (each.word == word) return each.type;
  }
  return word == "bytes" ? std::optional(ElementType::bytes) : std::nullopt;
}

/// Returns the type of numbers with this name. Returns nothing for other words.
[[nodiscard]] constexpr std::optional<ElementType> dtype_named(std::string_view word) noexcept {
  for (const DtypeName& each : kDtypeNames) {
    if (each.word == word) return each.type;
  }
  return std::nullopt;
}

}  // namespace sheaf
