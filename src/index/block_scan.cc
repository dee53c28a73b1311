// Blocks are cut where a sequence begins for certain. What is in them is found on many threads, and
// merged in order by whichever thread comes along: that is a few steps for each sequence.

#include "index/block_scan.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel_for.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{32} << 20;  // only touched as far as it is needed

}  // namespace

BlockScan::BlockScan(const BlockFormat& format, const ScanPart& rows, const ByteSource& source,
                     std::function<void(ScannedChunk)> take)
    : format_(format),
      rows_(rows),
      take_(std::move(take)),
      builder_(*format.schema, rows.chunk_size_bytes),
      warnings_(source),
      lines_before_(rows.first_line - 1) {}

// Where blocks begin, and the end. The last ones are smaller, so that no thread is left with a
// large one when there are no more.
std::vector<std::int64_t> BlockScan::cut(Executor& executor) const {
  const std::int64_t size_max = kReadsPerBlock * format_.schema->read_size_bytes;
  const std::int64_t size_min = (size_max + 3) / 4;
  std::vector<std::int64_t> places{rows_.begin};
  while (rows_.end - places.back() > size_max) {
    const std::int64_t share = (rows_.end - places.back()) / 8;
    places.push_back(places.back() + std::clamp(share, size_min, size_max));
  }
  places.push_back(rows_.end);
  std::vector<std::int64_t> found = places;
  parallel_for(&executor, std::ssize(places) - 2, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i) + 1;
    found[k] = format_.find_start(places[k], places[k + 1]);
  });
  std::vector<std::int64_t> starts{rows_.begin};
  for (std::size_t k = 1; k + 1 < places.size(); ++k) {
    // Where no sequence begins, the block is part of the one before.
    if (found[k] < places[k + 1]) starts.push_back(found[k]);
  }
  starts.push_back(rows_.end);
  return starts;
}

void BlockScan::run(Executor& executor, bool decodes) {
  const std::vector<std::int64_t> starts = cut(executor);
  parallel_for(&executor, std::ssize(starts) - 1, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    ScanPart part{.begin = starts[k], .end = starts[k + 1]};
    part.first_column = i == 0 ? rows_.first_column : 1;
    if (!decodes) {
      merge(i, format_.read(part, false));
      return;
    }
    SharedBlock::Maker memory = take_memory();
    part.memory = memory.get();
    merge(i, format_.read(part, true));
    keep_memory(std::move(memory));
  });
  memory_.clear();
  if (std::optional<ScannedChunk> last = builder_.finish()) take_(*std::move(last));
}

// What is decoded is read in another order, a little here and a little there, and each page that it
// lies in has to be found: huge ones are found faster. So the arrays of many blocks lie together.
SharedBlock::Maker BlockScan::take_memory() {
  {
    const std::scoped_lock lock(mutex_);
    if (!memory_.empty()) {
      SharedBlock::Maker memory = std::move(memory_.back());
      memory_.pop_back();
      return memory;
    }
  }
  return SharedBlock::make(kMemoryBytes, default_memory());
}

void BlockScan::keep_memory(SharedBlock::Maker memory) {
  if (memory->room_bytes() < kMemoryBytes / 4) return;  // may be too little for the next block
  const std::scoped_lock lock(mutex_);
  memory_.push_back(std::move(memory));
}

// Add the block once those before it are; and those behind it that wait.
void BlockScan::merge(std::int64_t number, ScannedBlock block) {
  std::unique_lock lock(mutex_);
  waiting_.emplace(number, std::move(block));
  if (std::exchange(is_merging_, true)) return;
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_block_;
       first = waiting_.begin()) {
    ScannedBlock next = std::move(first->second);
    waiting_.erase(first);
    ++next_block_;
    lock.unlock();
    add(std::move(next));
    lock.lock();
  }
  is_merging_ = false;
}

void BlockScan::add(ScannedBlock block) {
  const std::span<const StreamCounts> counts = block.counts;
  const std::size_t stream_count = format_.schema->streams.size();
  std::int64_t range_begin = 0;
  for (std::size_t i = 0; i < block.sequences.size(); ++i) {
    ChunkBuilder::Sequence& sequence = block.sequences[i];
    sequence.line += lines_before_;
    if (format_.key_numbers == BlockFormat::Numbers::rows) {
      sequence.key.low += static_cast<std::uint64_t>(lines_before_);
    } else if (format_.key_numbers == BlockFormat::Numbers::sequences) {
      sequence.key.low += static_cast<std::uint64_t>(sequences_before_);
    }
    std::optional<ScannedChunk> full =
        builder_.add(sequence, counts.subspan(i * stream_count, stream_count));
    if (!full) continue;
    take_(*std::move(full));
    end_range(block, static_cast<std::int64_t>(i) - range_begin);
    range_begin = static_cast<std::int64_t>(i);
    ++chunk_;
    chunk_sequences_ = 0;
  }
  end_range(block, std::ssize(block.sequences) - range_begin);
  sequences_before_ += std::ssize(block.sequences);
  lines_before_ += block.row_count;
  warnings_.append(std::move(block.warnings), lines_before_ - block.row_count);
}

/// The last `count` sequences belong to the chunk under way.
void BlockScan::end_range(const ScannedBlock& block, std::int64_t count) {
  if (count == 0) return;
  const bool goes_on =
      !ranges_.empty() && block.chunk != nullptr && ranges_.back().chunk == block.chunk;
  const std::int64_t first = goes_on ? ranges_.back().first + ranges_.back().range.count : 0;
  ranges_.push_back({{ChunkIndex{chunk_}, chunk_sequences_, count}, block.chunk, first});
  chunk_sequences_ += count;
}

}  // namespace sheaf::internal
