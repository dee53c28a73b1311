/// \file
/// Checks of the streams that transforms read.

#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/transform.h"

#include "base/half.h"
#include "base/saturated.h"
#include "base/text.h"
#include "core/element_cast.h"

namespace sheaf::internal {

/// Throws: ConfigError that names the stream: `stream "x" must be dense: got sparse f32 [9]`.
[[noreturn]] inline void refuse_stream(const Stream& stream, std::string_view needed) {
  throw ConfigError(formatted("stream \"{}\" must {}: got {} {} {}", stream.name, needed,
                              to_string(stream.storage), to_string(stream.element_type),
                              to_string(stream.sample_shape)));
}

inline void require_dense_fixed(const Stream& stream) {
  if (stream.storage != Storage::dense || !stream.sample_shape.is_fixed()) {
    refuse_stream(stream, "be dense, with samples of a fixed shape");
  }
}

inline void require_floating(const Stream& stream) {
  if (stream.element_type != ElementType::f32 && stream.element_type != ElementType::f64) {
    refuse_stream(stream, "have values of type f32 or f64");
  }
}

/// The largest number of values of a sample that a transform makes.
inline constexpr std::int64_t kSampleValuesMax = std::numeric_limits<std::int32_t>::max();

/// Returns the shape [size * factor], where size is the number of values of a sample.
///
/// Pre:    the stream has a fixed shape; factor > 0.
/// Throws: ConfigError if the product is above kSampleValuesMax.
[[nodiscard]] inline Shape widened_shape(const Stream& stream, std::int64_t factor) {
  const std::int64_t size = saturated_product(stream.sample_shape.size(), factor);
  if (size > kSampleValuesMax) {
    throw ConfigError(
        formatted("stream \"{}\": {} times {} values are too many for a sample; it holds {}",
                  stream.name, factor, stream.sample_shape.size(), kSampleValuesMax));
  }
  return Shape{size};
}

/// Returns whether visit_number_type() accepts the type.
[[nodiscard]] inline bool is_number_type(ElementType type) noexcept {
  return is_whole(type) || type == ElementType::f32 || type == ElementType::f64;
}

/// Calls `visit` with a 0 of the C++ type for `type`.
///
/// Pre: is_number_type(type).
template <typename Visit>
void visit_number_type(ElementType type, const Visit& visit) {
  assert(is_number_type(type));
  with_zero_of(type, [&](auto zero) {
    if constexpr (!kIsHalf<decltype(zero)>) visit(zero);
  });
}

}  // namespace sheaf::internal
