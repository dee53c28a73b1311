#include "index/units.h"

#include <algorithm>

namespace sheaf::internal {
namespace {

/// Returns a * b / divisor, rounded down. The product may take 128 bits, but not the result.
std::int64_t share(std::int64_t a, std::int64_t b, std::int64_t divisor) noexcept {
  __extension__ using Wide = __int128;
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / divisor;
  return static_cast<std::int64_t>(Wide{a} * b / divisor);
}

}  // namespace

std::int64_t unit_count(std::int64_t chunk_size_bytes, std::int64_t sequence_count) noexcept {
  const std::int64_t unit_size = unit_size_bytes();
  const std::int64_t full = chunk_size_bytes / unit_size;
  const std::int64_t count = full + (chunk_size_bytes % unit_size > 0 ? 1 : 0);
  return std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(1, sequence_count));
}

std::int64_t Units::first(std::int64_t unit) const noexcept {
  return share(unit, sequence_count_, count_);
}

// Returns the last unit that begins at or before the sequence: unit * sequence_count < (sequence +
// 1) * count. At most one unit begins with each sequence, so the result of one division is off by
// at most one.
std::int64_t Units::of(std::int64_t sequence) const noexcept {
  const std::int64_t unit = share(sequence, count_, sequence_count_);
  return unit + 1 < count_ && first(unit + 1) <= sequence ? unit + 1 : unit;
}

}  // namespace sheaf::internal
