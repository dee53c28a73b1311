#include "format/webdataset/webdataset_index.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "sheaf/error.h"

#include "base/key_set.h"
#include "base/saturated.h"
#include "format/webdataset/webdataset_errors.h"

namespace sheaf::webdataset {
namespace {

/// The numbers of samples in sequences of one pattern.
struct PatternCounts {
  std::int64_t plain = 0;       // number of samples without images
  bool counts_images = false;   // whether images count as samples, too
  bool lacks_defining = false;  // no entry belongs to the stream that defines the size
};

bool has_stream(const ShardScan& scan, const Pattern& pattern, const EntryStream& stream) {
  return std::ranges::any_of(pattern, [&](std::int32_t number) {
    return takes(stream, scan.suffixes[static_cast<std::size_t>(number)]);
  });
}

PatternCounts counts_of(const ShardScan& scan, const Pattern& pattern,
                        std::span<const EntryStream> streams) {
  PatternCounts counts;
  const bool has_defining = std::ranges::any_of(
      streams, [](const EntryStream& each) { return each.stream.defines_minibatch_size; });
  for (const EntryStream& each : streams) {
    if (has_defining && !each.stream.defines_minibatch_size) continue;
    if (!has_stream(scan, pattern, each)) {
      counts.lacks_defining |= has_defining;
      continue;
    }
    if (each.has_frames) {
      counts.counts_images = true;
    } else {
      counts.plain = 1;
    }
  }
  return counts;
}

}  // namespace

/// Cuts the sequences of all shards into chunks.
class ShardIndex::Builder {
 public:
  Builder(ShardIndex& index, const ReadOptions& options, std::span<const EntryStream> streams)
      : index_(index), options_(options), streams_(streams) {}

  void add_shard(const ShardScan& scan) {
    std::vector<PatternCounts> counts;
    for (const Pattern& pattern : scan.patterns) {
      counts.push_back(counts_of(scan, pattern, streams_));
    }
    for (const ScannedSequence& sequence : scan.sequences) {
      add(sequence, counts[static_cast<std::size_t>(sequence.pattern)]);
    }
    end_chunk();
    const std::int64_t size = index_.shards_[static_cast<std::size_t>(shard_)]->size();
    shard_begin_ = internal::saturated_sum(shard_begin_, size);
    ++shard_;
    index_.shard_begins_.push_back(shard_begin_);
  }

 private:
  void add(const ScannedSequence& sequence, const PatternCounts& counts) {
    if (counts.lacks_defining) {
      ++index_.dropped_count_;
      return;
    }
    if (table_.size() > 0 && sequence.end_bytes - begin_ > options_.chunk_size_bytes) end_chunk();
    if (table_.size() == 0) begin_ = sequence.begin_bytes;
    if (!keys_.insert({.low = sequence.key.low, .high = sequence.key.high})) {
      index_.repeated_.push_back(sequence_count_);
    }
    const std::int64_t sample_count =
        counts.counts_images ? std::max(counts.plain, sequence.image_count) : counts.plain;
    SequenceInfo info{.key = sequence.key,
                      .offset_bytes = sequence.begin_bytes - begin_,
                      .sample_count = sample_count};
    if (options_.reads_images) info.cost = sequence.pixel_count;
    if (index_.shards_.size() > 1) {
      info.location = SourceLocation{.source = shard_, .offset_bytes = sequence.begin_bytes};
    }
    table_.push_back(info);
    end_ = sequence.end_bytes;
    frame_count_ += sample_count;
    ++sequence_count_;
  }

  // Ends the chunk. The bytes of a chunk have room for the texts of keys, because the headers
  // contain them.
  void end_chunk() {
    if (table_.size() == 0) return;
    constexpr std::int64_t kSequenceBytes = 6 * std::int64_t{sizeof(std::int64_t)};
    constexpr std::int64_t kSampleBytes = 2 * std::int64_t{sizeof(std::int64_t)};
    const auto stream_count = static_cast<std::int64_t>(streams_.size());
    const std::int64_t size = end_ - begin_;
    const std::int64_t each =
        table_.size() * (stream_count * kSequenceBytes +
                         static_cast<std::int64_t>(sizeof(std::string) + sizeof(std::int64_t)));
    const std::int64_t copied = options_.joins_frames ? size : 0;
    const std::int64_t decoded =
        internal::saturated_sum(internal::saturated_sum(size, copied),
                                each + frame_count_ * kSampleBytes + stream_count * kSequenceBytes);
    index_.first_sequence_.push_back(sequence_count_ - table_.size());
    index_.chunks_.add({.offset_bytes = internal::saturated_sum(shard_begin_, begin_),
                        .size_bytes = size,
                        .decoded_size_bytes = decoded},
                       table_.finish());
    frame_count_ = 0;
  }

  ShardIndex& index_;
  const ReadOptions& options_;
  const std::span<const EntryStream> streams_;
  WideKeySet keys_;
  std::int64_t shard_ = 0;
  std::int64_t shard_begin_ = 0;
  std::int64_t sequence_count_ = 0;

  // Members about the current chunk.
  SequenceTable::Builder table_;
  std::int64_t begin_ = 0;  // in the shard
  std::int64_t end_ = 0;
  std::int64_t frame_count_ = 0;
};

ShardIndex::ShardIndex(const Shards& shards, std::span<const ShardScan> scans,
                       const ReadOptions& options, std::span<const EntryStream> streams)
    : shards_(shards),
      chunks_({.name = options.reads_images ? "pixels" : "bytes"}),
      shard_begins_{0} {
  Builder builder(*this, options, streams);
  for (const ShardScan& scan : scans) builder.add_shard(scan);
}

std::string ShardIndex::source_name(std::int64_t source) const {
  return shards_.size() == 1 ? std::string()
                             : std::string(shards_[static_cast<std::size_t>(source)]->name());
}

std::int64_t ShardIndex::memory_bytes() const {
  const std::size_t numbers =
      shard_begins_.capacity() + first_sequence_.capacity() + repeated_.capacity();
  return static_cast<std::int64_t>(sizeof *this + numbers * sizeof(std::int64_t)) +
         chunks_.memory_bytes();
}

ShardIndex::Part ShardIndex::part_of(ChunkIndex chunk, std::int64_t first,
                                     std::int64_t last) const {
  const ChunkInfo info = *chunks_.chunk(chunk);
  const std::shared_ptr<const SequenceTable> table = chunks_.sequences(chunk);
  const auto next = std::ranges::upper_bound(shard_begins_, info.offset_bytes);
  const auto shard = std::distance(shard_begins_.begin(), next) - 1;
  const std::int64_t begin = info.offset_bytes - shard_begins_[static_cast<std::size_t>(shard)];
  const std::int64_t size = last < table->size() ? table->offset_bytes(last) : info.size_bytes;
  return {.shard = shards_[static_cast<std::size_t>(shard)].get(),
          .begin_bytes = begin + table->offset_bytes(first),
          .end_bytes = begin + size};
}

bool ShardIndex::is_repeated(ChunkIndex chunk, std::int64_t sequence) const noexcept {
  const std::int64_t number = first_sequence_[static_cast<std::size_t>(chunk)] + sequence;
  return std::ranges::binary_search(repeated_, number);
}

}  // namespace sheaf::webdataset
