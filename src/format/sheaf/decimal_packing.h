// Stores floating-point values that were decimal text as integers and a power of ten.
//
// Source: ALP, Afroozeh, Kuffo and Boncz, SIGMOD 2024. Here a value is a quotient and not a
//         product. The quotient of an integer below 2^53 and a power of ten up to 10^22 is the
//         value nearest to the decimal fraction, which is what a parser of text returns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sheaf/extend/buffer.h"

namespace sheaf::container {

/// Returns the values as decimals, or nothing if the decimals would take more than
/// `size_max_bytes`.
[[nodiscard]] std::optional<Buffer> pack_decimals(std::span<const float> values,
                                                  std::int64_t size_max_bytes);
[[nodiscard]] std::optional<Buffer> pack_decimals(std::span<const double> values,
                                                  std::int64_t size_max_bytes);

/// Writes as many values as `into` has room for. Returns whether `bytes` are exactly that many
/// decimals.
[[nodiscard]] bool unpack_decimals(std::span<const std::byte> bytes, std::span<float> into);
[[nodiscard]] bool unpack_decimals(std::span<const std::byte> bytes, std::span<double> into);

}  // namespace sheaf::container
