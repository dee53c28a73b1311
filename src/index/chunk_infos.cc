#include "index/chunk_infos.h"

#include <algorithm>
#include <bit>

#include "index/memory_sizes.h"

namespace sheaf::internal {

ChunkInfos::Numbers ChunkInfos::to_numbers(const ChunkInfo& info) noexcept {
  static_assert(sizeof(ChunkInfo) == sizeof(Numbers), "each number of a ChunkInfo is kept");
  return {info.offset_bytes,
          info.size_bytes,
          info.first_line,
          info.sequence_count,
          info.sample_count,
          info.decoded_size_bytes,
          std::bit_cast<std::int64_t>(info.hash)};
}

ChunkInfo ChunkInfos::info_of(const Block& block, std::int64_t i) noexcept {
  const auto& columns = block.columns;
  return {.offset_bytes = columns[0][i],
          .size_bytes = columns[1][i],
          .first_line = columns[2][i],
          .sequence_count = columns[3][i],
          .sample_count = columns[4][i],
          .decoded_size_bytes = columns[5][i],
          .hash = std::bit_cast<std::uint64_t>(columns[6][i])};
}

void ChunkInfos::push_back(const ChunkInfo& info) {
  if (std::ssize(last_) == kBlockSize - 1) {
    pack_last(info);
  } else {
    last_.push_back(info);
  }
}

// Packs the chunks of last_ and `info` into a block. `info` is the chunk that completes the block.
void ChunkInfos::pack_last(const ChunkInfo& info) {
  Block block;
  block.sequences_before = packed_sequences_;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < kNumberCount; ++k) {
    PackedInts::Builder column;
    for (const ChunkInfo& each : last_) column.push_back(to_numbers(each)[k]);
    column.push_back(to_numbers(info)[k]);
    block.columns[k] = column.finish();
    bytes += heap_bytes(block.columns[k]);
  }
  blocks_.push_back(std::move(block));
  packed_bytes_ += bytes;
  packed_sequences_ += info.sequence_count;
  for (const ChunkInfo& each : last_) packed_sequences_ += each.sequence_count;
  last_.clear();
}

ChunkInfo ChunkInfos::operator[](std::int64_t i) const noexcept {
  const auto block = static_cast<std::size_t>(i / kBlockSize);
  if (block < blocks_.size()) return info_of(blocks_[block], i % kBlockSize);
  return last_[static_cast<std::size_t>(i % kBlockSize)];
}

std::int64_t ChunkInfos::sequences_before(std::int64_t i) const noexcept {
  const auto number = static_cast<std::size_t>(i / kBlockSize);
  const std::int64_t in_block = i % kBlockSize;
  if (number < blocks_.size()) {
    const Block& block = blocks_[number];
    std::int64_t sum = block.sequences_before;
    for (std::int64_t k = 0; k < in_block; ++k) sum += block.columns[3][k];
    return sum;
  }
  std::int64_t sum = packed_sequences_;
  for (std::int64_t k = 0; k < in_block; ++k) {
    sum += last_[static_cast<std::size_t>(k)].sequence_count;
  }
  return sum;
}

void ChunkInfos::truncate(std::int64_t count) {
  const auto number = static_cast<std::size_t>(count / kBlockSize);
  if (number < blocks_.size()) {
    const Block& block = blocks_[number];
    std::vector<ChunkInfo> last;
    for (std::int64_t i = 0; i < count % kBlockSize; ++i) last.push_back(info_of(block, i));
    last_.swap(last);
    packed_sequences_ = block.sequences_before;
    for (std::size_t k = number; k < blocks_.size(); ++k) {
      for (const PackedInts& column : blocks_[k].columns) packed_bytes_ -= heap_bytes(column);
    }
    blocks_.resize(number);
  } else {
    last_.resize(static_cast<std::size_t>(count % kBlockSize));
  }
}

void ChunkInfos::shrink_to_fit() {
  blocks_.shrink_to_fit();
  last_.shrink_to_fit();
}

std::int64_t ChunkInfos::memory_bytes() const noexcept {
  return packed_bytes_ + heap_bytes(blocks_) + heap_bytes(last_);
}

}  // namespace sheaf::internal
