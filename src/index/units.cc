#include "index/units.h"

#include <algorithm>

namespace sheaf::internal {
namespace {

/// Returns (a * b - less) / divisor, rounded down. The product may take 128 bits, but not the
/// result.
std::int64_t share(std::int64_t a, std::int64_t b, std::int64_t less,
                   std::int64_t divisor) noexcept {
  __extension__ using Wide = __int128;
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return (product - less) / divisor;
  return static_cast<std::int64_t>((Wide{a} * b - less) / divisor);
}

}  // namespace

std::int64_t unit_count(std::int64_t chunk_size_bytes, std::int64_t sequence_count) noexcept {
  const std::int64_t unit_size = unit_size_bytes();
  const std::int64_t full = chunk_size_bytes / unit_size;
  const std::int64_t count = full + (chunk_size_bytes % unit_size > 0 ? 1 : 0);
  return std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(1, sequence_count));
}

std::int64_t Units::first(std::int64_t unit) const noexcept {
  return share(unit, sequence_count_, 0, count_);
}

// Returns the last unit that begins at or before the sequence: the largest one with
// unit * sequence_count < (sequence + 1) * count.
std::int64_t Units::of(std::int64_t sequence) const noexcept {
  return share(sequence + 1, count_, 1, sequence_count_);
}

}  // namespace sheaf::internal
