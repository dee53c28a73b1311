/// \file
/// A list of integers that takes little memory.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace sheaf {

/// A list of integers that is built once by appending, and then read at any index in constant time.
/// Evenly spaced values take no memory. Other values take as many bytes as their distance from a
/// line needs.
///
/// Cost: 24 bytes for a list that is evenly spaced as a whole. Other lists take 24 bytes for each
///       block of 64 values, plus 0, 1, 2, 4 or 8 bytes for each value of the block.
class PackedInts {
 public:
  class Builder;

  /// Evenly spaced values: value i is first + i * step, in arithmetic modulo 2^64.
  struct Line {
    std::int64_t first = 0;
    std::int64_t step = 0;

    friend bool operator==(const Line&, const Line&) = default;
  };

  /// Makes an empty list.
  PackedInts() = default;

  /// Makes the list of the first `size` values of a line, in constant time.
  ///
  /// Pre: size is not negative.
  PackedInts(Line line, std::int64_t size);

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Pre: 0 <= i < size().
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const noexcept {
    const auto n = static_cast<std::uint64_t>(i);
    const std::uint64_t mask = (std::uint64_t{1} << block_size_log2_) - 1;
    return blocks_[static_cast<std::size_t>(n >> block_size_log2_)].value(n & mask,
                                                                          residuals_.data());
  }

  /// Returns the line on which all values lie. Returns nothing if there is no such line or no
  /// value. A single value lies on a line with step 0. Takes constant time.
  [[nodiscard]] std::optional<Line> line() const noexcept;

  /// Returns the value that all elements share. Returns nothing if values differ or the list is
  /// empty. Takes constant time.
  [[nodiscard]] std::optional<std::int64_t> constant() const noexcept;

  /// Returns the list of the `count` values from value `first` on.
  ///
  /// Pre:  0 <= first <= first + count <= size().
  /// Cost: as appending each value; constant time if all values lie on a line.
  [[nodiscard]] PackedInts slice(std::int64_t first, std::int64_t count) const;

  /// Returns how much memory the list takes.
  [[nodiscard]] std::int64_t size_bytes() const noexcept;

 private:
  static constexpr int kBlockSizeLog2 = 6;
  static constexpr std::int64_t kBlockSize = std::int64_t{1} << kBlockSizeLog2;
  static constexpr int kLineSizeLog2 = 63;  // large enough for a single block to have all values

  /// value(i) = base + i * step + residual(i), in arithmetic modulo 2^64; residuals are unsigned.
  struct Block {
    std::uint64_t base = 0;
    std::int64_t step = 0;
    std::uint64_t residual_offset : 56 = 0;
    std::uint64_t residual_size : 8 = 0;  // bytes each: 0, 1, 2, 4, 8

    [[nodiscard]] std::int64_t value(std::uint64_t i, const std::byte* residuals) const noexcept {
      // The low bytes of the residual come first.
      static_assert(std::endian::native == std::endian::little);
      std::uint64_t residual = 0;
      if (residual_size != 0) {
        const std::byte* const at = residuals + residual_offset + i * residual_size;
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
          default:
            std::memcpy(&residual, at, 8);
            break;
        }
      }
      return static_cast<std::int64_t>(base + i * static_cast<std::uint64_t>(step) + residual);
    }
  };

  std::int64_t size_ = 0;
  int block_size_log2_ = kLineSizeLog2;  // or kBlockSizeLog2, if the values do not lie on a line
  std::vector<Block> blocks_;
  std::vector<std::byte> residuals_;
};

/// Appends values. finish() returns the packed list.
class PackedInts::Builder {
 public:
  void push_back(std::int64_t value) {
    pending_[static_cast<std::size_t>(pending_size_++)] = value;
    if (pending_size_ == kBlockSize) pack_pending();
  }

  [[nodiscard]] std::int64_t size() const noexcept { return packed_.size_ + pending_size_; }

  /// Returns the values so far, and leaves the builder empty.
  [[nodiscard]] PackedInts finish();

 private:
  void pack_pending();
  [[nodiscard]] bool go_on_with_line();
  void cut_line();
  void pack_block();

  PackedInts packed_;
  std::array<std::int64_t, kBlockSize> pending_{};
  std::int64_t pending_size_ = 0;
};

}  // namespace sheaf
