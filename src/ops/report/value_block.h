// Sums of a few thousand values: loops that a compiler turns into vector instructions.

#pragma once

#include <cstddef>
#include <cstdint>

#include "sheaf/stat.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The most values of a block.
inline constexpr std::int64_t kBlockValues = 2048;

/// Values of a stream as float where f32 holds all values of the stream's type, and as double
/// otherwise. One of the arrays is in use.
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

/// Returns the statistics of a block. Takes the values that are not finite out of the block.
[[nodiscard]] ValueStat take_stat(ElementType type, ValueBlock& block);

}  // namespace sheaf::internal
