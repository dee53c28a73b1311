// A list of chunk sizes and offsets in little memory.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/extend/packed_ints.h"

namespace sheaf::internal {

/// A list of ChunkInfo. The newest chunks are kept as they are, all others are packed in blocks.
///
/// Cost: 10 to 25 bytes for each chunk of a text, against 56 for a ChunkInfo. A chunk is found in
///       constant time.
class ChunkInfos {
 public:
  /// Number of chunks in a block.
  static constexpr std::int64_t kBlockSize = 256;

  [[nodiscard]] std::int64_t size() const noexcept {
    return std::ssize(blocks_) * kBlockSize + std::ssize(last_);
  }

  /// If memory runs out, leaves the list unchanged, as does truncate().
  void push_back(const ChunkInfo& info);

  /// Pre: 0 <= i < size().
  [[nodiscard]] ChunkInfo operator[](std::int64_t i) const noexcept;

  /// Returns the number of sequences in the first `i` chunks.
  ///
  /// Pre: 0 <= i <= size().
  [[nodiscard]] std::int64_t sequences_before(std::int64_t i) const noexcept;

  /// Drops all chunks but the first `count`.
  ///
  /// Pre: 0 <= count <= size().
  void truncate(std::int64_t count);

  /// Frees memory reserved for further chunks.
  void shrink_to_fit();

  /// Returns how much memory the list takes besides the object itself.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t kNumberCount = 7;
  using Numbers = std::array<std::int64_t, kNumberCount>;

  struct Block {
    std::array<PackedInts, kNumberCount> columns;
    std::int64_t sequences_before = 0;
  };

  [[nodiscard]] static Numbers to_numbers(const ChunkInfo& info) noexcept;
  [[nodiscard]] static ChunkInfo info_of(const Block& block, std::int64_t i) noexcept;
  void pack_last(const ChunkInfo& info);

  std::vector<Block> blocks_;
  std::vector<ChunkInfo> last_;  // fewer than kBlockSize
  std::int64_t packed_bytes_ = 0;
  std::int64_t packed_sequences_ = 0;
};

}  // namespace sheaf::internal
