// While all values lie on one line, the list stores only this line, as a single block of any
// length. The first value off the line turns the list into blocks of 64 values. Each block is a
// line of its own, base + i * step, and the residuals of its values above this line. Sums wrap
// around, so the code works for any 64-bit values. The line is lowered until no value lies below
// it. So the residuals are unsigned, and one byte width serves the whole block. All blocks of a
// list have the same size, so a shift and a mask find a value.

#include "sheaf/extend/packed_ints.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sheaf {

PackedInts::PackedInts(Line line, std::int64_t size) : size_(size) {
  assert(size >= 0);
  if (size == 0) return;
  // A single value has no step.
  blocks_.push_back(
      {.base = static_cast<std::uint64_t>(line.first), .step = size == 1 ? 0 : line.step});
}

std::optional<PackedInts::Line> PackedInts::line() const noexcept {
  if (size_ == 0 || block_size_log2_ != kLineSizeLog2) return std::nullopt;
  const Block& block = blocks_.front();
  return Line{.first = static_cast<std::int64_t>(block.base), .step = block.step};
}

std::optional<std::int64_t> PackedInts::constant() const noexcept {
  const std::optional<Line> line = this->line();
  if (!line || line->step != 0) return std::nullopt;
  return line->first;
}

std::int64_t PackedInts::size_bytes() const noexcept {
  return static_cast<std::int64_t>(blocks_.capacity() * sizeof(Block) + residuals_.capacity());
}

PackedInts PackedInts::slice(std::int64_t first, std::int64_t count) const {
  assert(first >= 0 && count >= 0 && count <= size_ - first);
  if (count == 0) return {};
  if (const std::optional<Line> line = this->line()) return {{(*this)[first], line->step}, count};
  Builder builder;
  for (std::int64_t i = first; i < first + count; ++i) builder.push_back((*this)[i]);
  return builder.finish();
}

void PackedInts::Builder::pack_pending() {
  assert(pending_size_ <= kBlockSize);  // push_back() packs a block as soon as it is full
  if (packed_.block_size_log2_ == kLineSizeLog2) {
    if (go_on_with_line()) return;
    cut_line();
  }
  pack_block();
}

// Returns whether the pending values lie on the line of the values before. If so, adds them to
// the line.
bool PackedInts::Builder::go_on_with_line() {
  const auto count = static_cast<std::uint64_t>(pending_size_);
  const auto value = [this](std::uint64_t i) { return static_cast<std::uint64_t>(pending_[i]); };
  if (packed_.size_ == 0) {
    const std::uint64_t step = count > 1 ? value(1) - value(0) : 0;
    packed_.blocks_.push_back({.base = value(0), .step = static_cast<std::int64_t>(step)});
  }
  const Block& line = packed_.blocks_.front();
  const auto step = static_cast<std::uint64_t>(line.step);
  std::uint64_t expected = line.base + static_cast<std::uint64_t>(packed_.size_) * step;
  for (std::uint64_t i = 0; i < count; ++i, expected += step) {
    if (value(i) != expected) return false;
  }
  packed_.size_ += pending_size_;
  pending_size_ = 0;
  return true;
}

// Replaces the line by blocks of 64 values. The number of values on the line is a multiple of 64.
void PackedInts::Builder::cut_line() {
  Block block = packed_.blocks_.front();
  packed_.blocks_.clear();
  for (std::int64_t i = 0; i < packed_.size_; i += kBlockSize) {
    packed_.blocks_.push_back(block);
    block.base += static_cast<std::uint64_t>(block.step) * std::uint64_t{kBlockSize};
  }
  packed_.block_size_log2_ = kBlockSizeLog2;
}

void PackedInts::Builder::pack_block() {
  const auto count = static_cast<std::uint64_t>(pending_size_);
  const auto value = [this](std::uint64_t i) { return static_cast<std::uint64_t>(pending_[i]); };

  // The slope from the first to the last value. It is exact for evenly spaced values.
  std::int64_t step = 0;
  if (count > 1) {
    const auto rise = static_cast<std::int64_t>(value(count - 1) - value(0));
    step = rise / static_cast<std::int64_t>(count - 1);
  }
  // Distances from the slope, modulo 2^64.
  std::array<std::int64_t, std::size_t{kBlockSize}> distances{};
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::uint64_t expected = value(0);
  for (std::uint64_t i = 0; i < count; ++i, expected += static_cast<std::uint64_t>(step)) {
    const auto distance = static_cast<std::int64_t>(value(i) - expected);
    distances[i] = distance;
    lowest = std::min(lowest, distance);
    highest = std::max(highest, distance);
  }
  const std::uint64_t residual_max =
      static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);

  Block block;
  block.base = value(0) + static_cast<std::uint64_t>(lowest);
  block.step = step;
  block.residual_offset = packed_.residuals_.size() & ((std::uint64_t{1} << 56) - 1);
  const auto bits = static_cast<unsigned>(std::bit_width(residual_max));
  const std::size_t size = bits == 0 ? 0 : std::bit_ceil((bits + 7) / 8);
  block.residual_size = size & 0xFFU;
  if (size > 0) {
    packed_.residuals_.resize(packed_.residuals_.size() + count * size);
    std::byte* into = packed_.residuals_.data() + block.residual_offset;
    const auto write = [&]<typename Word>(Word /*zero*/) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto residual = static_cast<Word>(static_cast<std::uint64_t>(distances[i]) -
                                                static_cast<std::uint64_t>(lowest));
        std::memcpy(into + i * sizeof residual, &residual, sizeof residual);
      }
    };
    switch (size) {
      case 1:
        write(std::uint8_t{});
        break;
      case 2:
        write(std::uint16_t{});
        break;
      case 4:
        write(std::uint32_t{});
        break;
      default:
        write(std::uint64_t{});
        break;
    }
  }
  packed_.blocks_.push_back(block);
  packed_.size_ += pending_size_;
  pending_size_ = 0;
}

PackedInts PackedInts::Builder::finish() {
  if (pending_size_ > 0) pack_pending();
  packed_.blocks_.shrink_to_fit();
  packed_.residuals_.shrink_to_fit();
  return std::exchange(packed_, PackedInts());
}

}  // namespace sheaf
