#include "dataset/transformed_index.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

std::optional<ChunkInfo> TransformedIndex::chunk(ChunkIndex chunk) const {
  std::optional<ChunkInfo> info = index_.chunk(chunk);
  if (!info) return info;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = sample_counts_.find(chunk);
    if (known != sample_counts_.end()) {
      info->sample_count = known->second;
      return info;
    }
  }
  const std::shared_ptr<const SequenceTable> table = sequences(chunk);
  std::int64_t sample_count = 0;
  for (std::int64_t i = 0; i < table->size(); ++i) {
    if (__builtin_add_overflow(sample_count, table->sample_count(i), &sample_count)) {
      throw ConfigError("transforms: a chunk would have more than 2^63 samples");
    }
  }
  const std::scoped_lock lock(mutex_);
  sample_counts_.emplace(chunk, sample_count);
  info->sample_count = sample_count;
  return info;
}

std::shared_ptr<const SequenceTable> TransformedIndex::sequences(ChunkIndex chunk) const {
  const auto key = static_cast<std::int64_t>(chunk);
  std::shared_ptr<const SequenceTable> known = tables_.find(key);
  if (known != nullptr) return known;
  const std::shared_ptr<const SequenceTable> table = index_.sequences(chunk);
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
  return index_.memory_bytes() + tables_.bytes() + kBytesPerChunk * std::ssize(sample_counts_);
}

}  // namespace sheaf::internal
