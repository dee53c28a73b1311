/// \file
/// Integers in little memory.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sheaf {

/// A list of integers, built once by appending, then read at any place in constant time. Runs of
/// equal or evenly spaced values cost next to nothing, others their distance from a line.
///
/// Cost: 24 bytes for each block of 64 values, plus 0, 1, 2, 4 or 8 for each value of a block that
///       is not evenly spaced.
class PackedInts {
 public:
  class Builder;

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Pre: 0 <= i < size().
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const noexcept {
    const Block& block = blocks_[static_cast<std::size_t>(i / kBlockSize)];
    return block.value(i % kBlockSize, residuals_.data());
  }

  /// The value that all have, if they have one and there are any.
  [[nodiscard]] std::optional<std::int64_t> constant() const noexcept;

  /// Memory held.
  [[nodiscard]] std::int64_t size_bytes() const noexcept;

 private:
  static constexpr std::int64_t kBlockSize = 64;

  /// value(i) = base + i * step + residual(i), in arithmetic modulo 2^64; residuals are unsigned.
  struct Block {
    std::uint64_t base = 0;
    std::int64_t step = 0;
    std::uint64_t residual_offset : 56 = 0;
    std::uint64_t residual_size : 8 = 0;  // bytes each: 0, 1, 2, 4, 8

    [[nodiscard]] std::int64_t value(std::int64_t i, const std::byte* residuals) const noexcept;
  };

  std::int64_t size_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::byte> residuals_;
};

/// Appends values; finish() yields them packed.
class PackedInts::Builder {
 public:
  void push_back(std::int64_t value) {
    pending_[static_cast<std::size_t>(pending_size_++)] = value;
    if (pending_size_ == kBlockSize) pack_block();
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(packed_.blocks_.size()) * kBlockSize + pending_size_;
  }

  /// The values so far; the builder is empty afterwards.
  [[nodiscard]] PackedInts finish();

 private:
  void pack_block();

  PackedInts packed_;
  std::array<std::int64_t, kBlockSize> pending_{};
  std::int64_t pending_size_ = 0;
};

}  // namespace sheaf
