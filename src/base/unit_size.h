// The size of a unit, from which the library's other sizes follow.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// The size of a unit (index/units.h) outside tests, in bytes. Buffers and blocks are multiples of
/// it, parts of chunks are fractions of it. The order `keyed`, index files, and CBF files with
/// checks depend on it.
inline constexpr std::int64_t kUnitSizeBytes = std::int64_t{1} << 20;

/// Returns the size of a unit: kUnitSizeBytes, unless a test has set another size.
///
/// Threads: safe.
[[nodiscard]] std::int64_t unit_size_bytes() noexcept;

/// Sets the size of a unit, for tests and fuzz targets. A small size lets inputs of a few bytes
/// cross borders that otherwise only inputs of megabytes cross.
///
/// Pre: size_bytes >= 1; no data are open.
void set_unit_size_bytes(std::int64_t size_bytes) noexcept;

}  // namespace sheaf::internal
