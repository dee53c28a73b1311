// The size that the library's other sizes follow from.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Bytes of a unit (index/units.h) outside tests. Buffers and blocks are so many units, parts of
/// chunks so many to one of them. The order `keyed`, index files and CBF files with checks depend
/// on it.
inline constexpr std::int64_t kUnitSizeBytes = std::int64_t{1} << 20;

/// Returns the size of a unit: kUnitSizeBytes, unless a test has set another one.
///
/// Threads: safe.
[[nodiscard]] std::int64_t unit_size_bytes() noexcept;

/// Sets the size of a unit, so that inputs of a few bytes cross the borders that only inputs of
/// megabytes cross otherwise. For tests and fuzz targets.
///
/// Pre: 1 <= size_bytes, and no data are open.
void set_unit_size_bytes(std::int64_t size_bytes) noexcept;

}  // namespace sheaf::internal
