// Arrays that very many columns have alike: shared, they take no memory and no time of each.

#pragma once

#include <cstdint>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Longer arrays are not shared: what is shared stays in memory.
inline constexpr std::int64_t kCommonCountMax = std::int64_t{1} << 20;

/// Whether a buffer refers to a shared array, whose memory is nobody's.
[[nodiscard]] bool is_common(const Buffer& buffer) noexcept;

/// The numbers 0, 1, 2, ..., so many of them: in an array that is shared, where there are not more
/// than may be.
[[nodiscard]] Buffer counting_numbers(std::int64_t count);

/// Returns so many ones of a type: in an array that is shared, where there are not more than may
/// be, and the type is f32 or f64.
[[nodiscard]] Buffer ones(std::int64_t count, ElementType type);

/// Put a borrowed array in place of `offsets` where it is 0, 1, 2, ..., as sample_offsets are where
/// each sample has one value.
///
/// Cost: a look at the numbers up to the first other one.
void share_if_counting(Buffer& offsets);

/// Put a borrowed array in place of `values` where all are 1, as those of one-hot samples are.
///
/// Cost: a look at the values up to the first other one.
void share_if_ones(Buffer& values, ElementType type);

}  // namespace sheaf::internal
