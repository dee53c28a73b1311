// Limits of a sample's shape, for every format.

#pragma once

#include <cstdint>
#include <string_view>

#include "sheaf/types.h"

namespace sheaf::internal {

/// The largest number of values in a sample.
inline constexpr std::int64_t kSampleSizeMax = std::int64_t{1} << 40;

/// Checks a fixed shape. A sample has at most 2^40 values. A sparse stream has one extent and an
/// index type that reaches all indices.
///
/// Throws: ConfigError that names the stream.
void check_sample_shape(std::string_view stream, const Shape& shape, Storage storage,
                        ElementType index_type);

}  // namespace sheaf::internal
