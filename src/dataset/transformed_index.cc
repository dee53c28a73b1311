#include "dataset/transformed_index.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

std::optional<ChunkInfo> TransformedIndex::chunk(ChunkIndex chunk) const {
  std::optional<ChunkInfo> info = index().chunk(chunk);
  if (!info) return info;
  const std::int64_t before = info->sample_count;
  if (!chain_.keeps_counts()) info->sample_count = sample_count(chunk);
  // The results of a chain exist twice for a moment: as the transforms made them, and as columns.
  constexpr double kCopies = 2;
  constexpr double kMost = 0x1p60;
  const double made = kCopies * chain_.made_bytes(std::max(before, info->sample_count));
  info->decoded_size_bytes = static_cast<std::int64_t>(
      std::min(kMost, static_cast<double>(info->decoded_size_bytes) + made));
  return info;
}

// Returns the number of samples of a chunk after the transforms.
std::int64_t TransformedIndex::sample_count(ChunkIndex chunk) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = sample_counts_.find(chunk);
    if (known != sample_counts_.end()) return known->second;
  }
  const std::shared_ptr<const SequenceTable> table = sequences(chunk);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < table->size(); ++i) {
    if (__builtin_add_overflow(sum, table->sample_count(i), &sum)) {
      throw ConfigError("transforms: a chunk would have more than 2^63 samples");
    }
  }
  const std::scoped_lock lock(mutex_);
  sample_counts_.emplace(chunk, sum);
  return sum;
}

std::shared_ptr<const SequenceTable> TransformedIndex::sequences(ChunkIndex chunk) const {
  if (chain_.keeps_counts()) return index().sequences(chunk);
  const auto key = static_cast<std::int64_t>(chunk);
  std::shared_ptr<const SequenceTable> known = tables_.find(key);
  if (known != nullptr) return known;
  const std::shared_ptr<const SequenceTable> table = index().sequences(chunk);
  PackedInts::Builder counts;
  for (std::int64_t i = 0; i < table->size(); ++i) {
    counts.push_back(chain_.sample_count(table->sample_count(i)));
  }
  SequenceTable::Columns columns = table->columns();
  columns.sample_counts = std::make_shared<const PackedInts>(counts.finish());
  known = std::make_shared<const SequenceTable>(std::move(columns));
  tables_.add(key, known, known->size_bytes());
  return known;
}

std::int64_t TransformedIndex::memory_bytes() const {
  constexpr std::int64_t kBytesPerChunk = 48;
  const std::scoped_lock lock(mutex_);
  return index().memory_bytes() + tables_.bytes() + kBytesPerChunk * std::ssize(sample_counts_);
}

std::optional<std::int64_t> TransformedIndex::cut_length(ChunkIndex chunk,
                                                         std::int64_t sequence) const {
  const std::optional<std::int64_t> length = ForwardedIndex::cut_length(chunk, sequence);
  return length && !chain_.keeps_counts() ? chain_.sample_count(*length) : length;
}

}  // namespace sheaf::internal
