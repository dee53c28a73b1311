// Blocks are cut where a sequence certainly begins. Many threads scan the blocks. The thread that
// finishes a block may merge it and its successors in order, which takes a few steps for each
// sequence.

#include "format/text/block_scan.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "sheaf/extend/parallel_for.h"

namespace sheaf::internal {
namespace {

// The notes about a block take up to 32 times the memory of its text, because the notes of a
// sequence of a few bytes take a hundred bytes and lists grow. While a text is scanned for an
// order, no data are in memory. An index may use 1/8 of the memory of a run, and the notes may use
// half of what the run has.
constexpr std::int64_t kTextShare = 8;
constexpr std::int64_t kTextAtOnceMin = std::int64_t{1} << 20;
constexpr std::int64_t kBlockSizeMin = std::int64_t{64} << 10;
// The notes of a small block fit into the memory that the previous block has returned. Larger notes
// would need new pages each time, which costs the system more time than the scan.
constexpr std::int64_t kNotedBlockSize = std::int64_t{512} << 10;

}  // namespace

BlockScan::BlockScan(const BlockFormat& format, const ScanPart& rows, const ByteSource& source,
                     std::function<void(ScannedChunk)> take, std::int64_t memory_limit_bytes)
    : format_(format),
      rows_(rows),
      take_(std::move(take)),
      text_at_once_bytes_(
          memory_limit_bytes == 0 ? 0 : std::max(kTextAtOnceMin, memory_limit_bytes / kTextShare)),
      builder_(*format.schema, rows.chunk_size_bytes),
      warnings_(source),
      lines_before_(rows.first_line - 1),
      counts_(format.schema->streams.size()) {}

// Returns the offsets where blocks begin, and the end. The last blocks are smaller, so that no
// thread still works on a large block when the others are done.
std::vector<std::int64_t> BlockScan::cut(Executor& executor, std::int64_t size_max) const {
  const std::int64_t size_min = (size_max + 3) / 4;
  std::vector<std::int64_t> locations{rows_.begin};
  while (rows_.end - locations.back() > size_max) {
    const std::int64_t share = (rows_.end - locations.back()) / 8;
    locations.push_back(locations.back() + std::clamp(share, size_min, size_max));
  }
  locations.push_back(rows_.end);
  std::vector<std::int64_t> found = locations;
  parallel_for(&executor, std::ssize(locations) - 2, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i) + 1;
    found[k] = format_.find_start(locations[k], locations[k + 1]);
  });
  std::vector<std::int64_t> starts{rows_.begin};
  for (std::size_t k = 1; k + 1 < locations.size(); ++k) {
    // A block without a start of a sequence joins the block before it.
    if (found[k] < locations[k + 1]) starts.push_back(found[k]);
  }
  starts.push_back(rows_.end);
  return starts;
}

// Under a memory limit, a round has as many blocks as the limit allows. Each thread gets several,
// so that no thread waits long for the others at the end.
void BlockScan::run(Executor& executor, DecodedSink* sink) {
  std::int64_t size_max = kReadsPerBlock * format_.schema->read_size_bytes;
  if (sink == nullptr) size_max = std::min(size_max, kNotedBlockSize);
  std::int64_t at_once = std::numeric_limits<std::int64_t>::max();
  if (text_at_once_bytes_ > 0) {
    at_once = std::int64_t{4} * std::max(1, executor.thread_count());
    size_max = std::min(size_max, std::max(kBlockSizeMin, text_at_once_bytes_ / at_once));
  }
  const std::vector<std::int64_t> starts = cut(executor, size_max);
  const std::int64_t count = std::ssize(starts) - 1;
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t round = std::min(at_once, count - first);
    parallel_for(&executor, round, [&](std::int64_t i) {
      const auto k = static_cast<std::size_t>(first + i);
      ScanPart part{.begin = starts[k], .end = starts[k + 1]};
      part.first_column = k == 0 ? rows_.first_column : 1;
      ScannedBlock block = format_.read(part, sink != nullptr);
      if (block.chunk) block.kept = sink->keep(*std::exchange(block.chunk, std::nullopt));
      merge(first + i, std::move(block));
    });
    first += round;
  }
  if (std::optional<ScannedChunk> last = builder_.finish()) take_(*std::move(last));
}

// Adds the block once all blocks before it are added, and then the blocks that wait for it.
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
  std::int64_t range_begin = 0;
  std::size_t counts_begin = 0;
  for (std::size_t i = 0; i < block.sequences.size(); ++i) {
    ChunkBuilder::Sequence& sequence = block.sequences[i];
    sequence.line += lines_before_;
    if (format_.key_numbers == BlockFormat::Numbers::rows) {
      sequence.key.low += static_cast<std::uint64_t>(lines_before_);
    } else if (format_.key_numbers == BlockFormat::Numbers::sequences) {
      sequence.key.low += static_cast<std::uint64_t>(sequences_before_);
    }
    const auto counts = std::span(block.counts)
                            .first(static_cast<std::size_t>(sequence.counts_end))
                            .subspan(counts_begin);
    counts_begin += counts.size();
    for (const ScannedBlock::Counts& each : counts) {
      counts_[static_cast<std::size_t>(each.stream)] = each.of_stream;
    }
    std::optional<ScannedChunk> full = builder_.add(sequence, counts_);
    for (const ScannedBlock::Counts& each : counts) {
      counts_[static_cast<std::size_t>(each.stream)] = {};
    }
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

/// Assigns the last `count` sequences to the chunk being filled.
void BlockScan::end_range(const ScannedBlock& block, std::int64_t count) {
  if (count == 0) return;
  const bool goes_on =
      !ranges_.empty() && block.kept != nullptr && ranges_.back().kept == block.kept;
  const std::int64_t first = goes_on ? ranges_.back().first + ranges_.back().range.count : 0;
  ranges_.push_back({{ChunkIndex{chunk_}, chunk_sequences_, count}, block.kept, first});
  chunk_sequences_ += count;
}

}  // namespace sheaf::internal
