// What samples a stream can be asked for, whatever its format.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Most values of a sample.
inline constexpr std::int64_t kSampleSizeMax = std::int64_t{1} << 40;

/// Check a fixed shape: at most 2^40 values a sample; where sparse, one extent, and indices of a
/// type that reaches all of them.
///
/// Throws: ConfigError that names the stream.
void check_sample_shape(std::string_view stream, const Shape& shape, Storage storage,
                        ElementType index_type);

}  // namespace sheaf::internal
