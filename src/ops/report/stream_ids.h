// Reads the ids of a stream from its values or indices.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sheaf/stat.h"
#include "sheaf/types.h"

#include "base/unaligned.h"
#include "core/element_cast.h"
#include "ops/report/stream_roles.h"

namespace sheaf::internal {

/// The largest id that a value of a floating type, such as f32, may be.
inline constexpr double kFloatIdMax = 65'535;

/// Returns whether the statistics allow the values to be ids. For a floating type, all values must
/// be finite and lie from 0 to kFloatIdMax. For IdSource::one_hot, the values must lie from 0 to 1,
/// with as many non-zero values as samples.
[[nodiscard]] bool may_be_ids(const Stream& stream, IdSource source,
                              const ValueStat& stat) noexcept;

/// Calls `visit` with each of `count` indices, or with each value as an id.
///
/// Returns: false if a value is not an integer. Later values are not visited.
/// Pre:     `numbers` are indices of a sparse stream, or values of a dense stream that may_be_ids()
///          accepts.
template <typename Visit>
bool visit_ids(const Stream& stream, const std::byte* numbers, std::int64_t count,
               const Visit& visit) {
  const ElementType type =
      stream.storage == Storage::sparse ? stream.index_type : stream.element_type;
  return with_zero_of(type, [&](auto zero) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = arithmetic(load<decltype(zero)>(numbers, i));
      const auto id = static_cast<std::int64_t>(value);
      if constexpr (std::is_floating_point_v<std::remove_const_t<decltype(value)>>) {
        if (static_cast<decltype(value)>(id) != value) return false;
      }
      visit(id);
    }
    return true;
  });
}

/// Calls `visit` with the index of the 1 of each sample.
///
/// Returns: false if a sample is not one-hot. Later samples are not visited.
/// Pre:     `values` belong to a dense stream that may_be_ids() accepts.
template <typename Visit>
bool visit_one_hot_ids(const Stream& stream, const std::byte* values, std::int64_t samples,
                       const Visit& visit) {
  const std::int64_t size = stream.sample_shape.size();
  return with_zero_of(stream.element_type, [&](auto zero) {
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      std::int64_t id = -1;
      std::int64_t others = 0;
      for (std::int64_t i = 0; i < size; ++i) {
        const auto value = arithmetic(load<decltype(zero)>(values, sample * size + i));
        if (value == 0) continue;
        ++others;
        if (value == 1) id = i;
      }
      if (others != 1 || id < 0) return false;
      visit(id);
    }
    return true;
  });
}

}  // namespace sheaf::internal
