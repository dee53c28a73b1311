// Values are kept in blocks of 64. Each block is a line, base + i * step, and what its values lie
// above that line. Sums wrap around, so any 64-bit values do. The line is lowered until no value
// lies below it; then the residuals are unsigned, and one byte width serves the whole block. Rows
// of even length, running keys and equal lengths have no residuals at all.

#include "sheaf/packed_ints.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace sheaf {

std::int64_t PackedInts::Block::value(std::int64_t i, const std::byte* residuals) const noexcept {
  const auto n = static_cast<std::uint64_t>(i);
  std::uint64_t residual = 0;
  // The low bytes of the residual come first.
  static_assert(std::endian::native == std::endian::little);
  const std::byte* at = residuals + residual_offset + n * residual_size;
  switch (residual_size) {
    case 1:
      std::memcpy(&residual, at, 1);
      break;
    case 2:
      std::memcpy(&residual, at, 2);
      break;
    case 4:
      std::memcpy(&residual, at, 4);
      break;
    case 8:
      std::memcpy(&residual, at, 8);
      break;
    default:
      break;
  }
  return static_cast<std::int64_t>(base + n * static_cast<std::uint64_t>(step) + residual);
}

std::optional<std::int64_t> PackedInts::constant() const noexcept {
  if (size_ == 0) return std::nullopt;
  const std::uint64_t value = blocks_.front().base;
  for (const Block& block : blocks_) {
    if (block.base != value || block.step != 0 || block.residual_size != 0) return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t PackedInts::size_bytes() const noexcept {
  return static_cast<std::int64_t>(blocks_.capacity() * sizeof(Block) + residuals_.capacity());
}

void PackedInts::Builder::pack_block() {
  const auto count = static_cast<std::uint64_t>(pending_size_);
  const auto value = [this](std::uint64_t i) { return static_cast<std::uint64_t>(pending_[i]); };

  // The slope from the first to the last value; exact for evenly spaced ones.
  std::int64_t step = 0;
  if (count > 1) {
    const auto rise = static_cast<std::int64_t>(value(count - 1) - value(0));
    step = rise / static_cast<std::int64_t>(count - 1);
  }
  const auto distance = [&](std::uint64_t i) {
    return static_cast<std::int64_t>(value(i) - value(0) - i * static_cast<std::uint64_t>(step));
  };
  std::int64_t lowest = 0;
  for (std::uint64_t i = 0; i < count; ++i) lowest = std::min(lowest, distance(i));
  std::uint64_t highest = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    highest = std::max(
        highest, static_cast<std::uint64_t>(distance(i)) - static_cast<std::uint64_t>(lowest));
  }

  Block block;
  block.base = value(0) + static_cast<std::uint64_t>(lowest);
  block.step = step;
  block.residual_offset = packed_.residuals_.size() & ((std::uint64_t{1} << 56) - 1);
  const auto bits = static_cast<unsigned>(std::bit_width(highest));
  const std::size_t size = bits == 0 ? 0 : std::bit_ceil((bits + 7) / 8);
  block.residual_size = size & 0xFFU;
  if (size > 0) {
    packed_.residuals_.resize(packed_.residuals_.size() + count * size);
    std::byte* into = packed_.residuals_.data() + block.residual_offset;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t residual =
          static_cast<std::uint64_t>(distance(i)) - static_cast<std::uint64_t>(lowest);
      std::memcpy(into + i * size, &residual, size);
    }
  }
  packed_.blocks_.push_back(block);
  packed_.size_ += pending_size_;
  pending_size_ = 0;
}

PackedInts PackedInts::Builder::finish() {
  if (pending_size_ > 0) pack_block();
  packed_.blocks_.shrink_to_fit();
  packed_.residuals_.shrink_to_fit();
  return std::exchange(packed_, PackedInts());
}

}  // namespace sheaf
