// Decodes arrays in `.sheaf` files, one value at a time.

#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

namespace sheaf::conformance::container {

enum class Codec : std::uint8_t { raw, constant, packed, delta, decimal, lz4, zstd };

/// An array as stored in its column.
struct StoredArray {
  std::int64_t count = 0;
  std::uint64_t codec = 0;
  std::string_view bytes;  // without padding
  ElementType type = ElementType::u8;

  /// Whether docs/formats/sheaf.md allows differences here, and the values at which differences
  /// restart from 0.
  bool may_be_delta = false;
  std::set<std::int64_t> starts;
};

/// Returns the bits of each value, with zeros above.
///
/// Throws: Malformed, TooLarge.
[[nodiscard]] std::vector<std::uint64_t> decode(const StoredArray& array);

/// Returns the bits of the f32 or f64 value that stands for integer / 10^exponent.
///
/// Pre: 0 <= exponent <= 18.
[[nodiscard]] std::uint64_t decimal_value(std::int64_t integer, int exponent, ElementType type);

/// Returns a value of an array as a number. Whole numbers of signed types keep their sign.
[[nodiscard]] std::uint64_t with_sign(std::uint64_t bits, ElementType type);

/// Returns as many low bytes of a number as a value of the type has.
[[nodiscard]] std::uint64_t low_bytes(std::uint64_t number, ElementType type);

}  // namespace sheaf::conformance::container
