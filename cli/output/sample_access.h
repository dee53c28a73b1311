/// \file
/// Access to the values of one sample of a sequence.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "sheaf/dtype.h"
#include "sheaf/float16.h"
#include "sheaf/minibatch.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// Returns whether each sample is a text of bytes, such as an encoded image.
[[nodiscard]] inline bool is_opaque(const Stream& stream) {
  return stream.element_type == ElementType::bytes && !stream.sample_shape.is_fixed();
}

/// Calls f(pointer to the first value) with the C++ type of the values. The type of bytes is
/// std::uint8_t.
template <typename F>
void with_type(ElementType type, const std::byte* values, F&& f) {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return f(reinterpret_cast<const std::uint8_t*>(values));
    case ElementType::i32:
      return f(reinterpret_cast<const std::int32_t*>(values));
    case ElementType::i64:
      return f(reinterpret_cast<const std::int64_t*>(values));
    case ElementType::u16:
      return f(reinterpret_cast<const std::uint16_t*>(values));
    case ElementType::f16:
      return f(reinterpret_cast<const Float16*>(values));
    case ElementType::bf16:
      return f(reinterpret_cast<const BFloat16*>(values));
    case ElementType::f32:
      return f(reinterpret_cast<const float*>(values));
    case ElementType::f64:
      return f(reinterpret_cast<const double*>(values));
  }
}

/// Returns the range of a sample's stored values in the sequence: the number of the first value,
/// and one past the last.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> sample_bounds(const Stream& stream,
                                                                         const SequenceView& view,
                                                                         std::int64_t sample) {
  if (view.sample_offsets == nullptr) {
    const std::int64_t size = stream.sample_shape.size();
    return {sample * size, (sample + 1) * size};
  }
  const std::int64_t first = view.sample_offsets[0];
  return {view.sample_offsets[sample] - first, view.sample_offsets[sample + 1] - first};
}

/// Returns the extents of a sample, or nothing if the shape is fixed.
[[nodiscard]] inline std::span<const std::int64_t> sample_extents(const Stream& stream,
                                                                  const SequenceView& view,
                                                                  std::int64_t sample) {
  if (view.extents == nullptr) return {};
  const auto rank = static_cast<std::size_t>(stream.sample_shape.rank());
  return {view.extents + sample * stream.sample_shape.rank(), rank};
}

}  // namespace sheaf::cli
