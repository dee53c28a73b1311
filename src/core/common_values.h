// Shares arrays that very many columns have in common, to save memory and time.

#pragma once

#include <cstdint>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The largest shared array. Longer arrays are not shared, because shared arrays stay in memory.
inline constexpr std::int64_t kCommonCountMax = std::int64_t{1} << 20;

/// Returns whether a buffer refers to a shared array, whose memory does not count.
[[nodiscard]] bool is_common(const Buffer& buffer) noexcept;

/// Returns the numbers 0, 1, 2, ..., count - 1. The array is shared if it is not too long.
[[nodiscard]] Buffer counting_numbers(std::int64_t count);

/// Returns `count` ones of a type. The array is shared if it is not too long and the type is f32 or
/// f64.
[[nodiscard]] Buffer ones(std::int64_t count, ElementType type);

/// Replaces `offsets` by a shared array if they are 0, 1, 2, ... That is the case for
/// sample_offsets if each sample has one value.
///
/// Cost: compares up to the first difference.
void share_if_counting(Buffer& offsets);

/// Replaces `values` by a shared array if all values are 1, as in one-hot samples.
///
/// Cost: compares up to the first difference.
void share_if_ones(Buffer& values, ElementType type);

}  // namespace sheaf::internal
