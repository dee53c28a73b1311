// Sums a few thousand values in loops that compilers vectorize.

#pragma once

#include <cstddef>
#include <cstdint>

#include "sheaf/stat.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The maximum number of values in a block.
inline constexpr std::int64_t kBlockValues = 2048;

/// Values of a stream: as float if f32 holds all values of the element type, otherwise as double.
/// Only one of the arrays is used.
struct ValueBlock {  // NOLINT: load_block() fills the array that is in use
  alignas(64) float floats[kBlockValues];
  alignas(64) double doubles[kBlockValues];
  std::int64_t count = 0;
};

/// Returns whether blocks of the type use doubles.
///
/// Pre: `type` is not bytes.
[[nodiscard]] bool is_wide(ElementType type) noexcept;

/// Copies values to a block.
///
/// Pre: 0 < count <= kBlockValues; `type` is not bytes. `values` need not be aligned.
void load_block(ElementType type, const std::byte* values, std::int64_t count, ValueBlock& block);

/// Removes the non-finite values from a block and returns the statistics of the block.
[[nodiscard]] ValueStat take_stat(ElementType type, ValueBlock& block);

}  // namespace sheaf::internal
