#include "format/text/scanned_chunk.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/text/scanned_block.h"

namespace sheaf::internal {

namespace {

constexpr std::int64_t kRowSizeMin = std::int64_t{1} << 20;
constexpr std::int64_t kTableSizeMin = std::int64_t{24} << 20;
constexpr std::int64_t kMost = std::int64_t{1} << 48;  // the sum of all chunks fits

/// Returns a * b, and below a + b, capped at kMost.
///
/// Pre: neither is negative.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMost : std::min(result, kMost);
}

std::int64_t plus(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? kMost : std::min(result, kMost);
}

/// Returns the number of bytes that a number takes.
std::int64_t byte_count(std::uint64_t number) noexcept {
  return static_cast<std::int64_t>((std::bit_width(number) + 7) / 8);
}

}  // namespace

std::int64_t row_size_max(std::int64_t memory_limit_bytes, std::int64_t read_size_bytes) noexcept {
  if (memory_limit_bytes == 0) return RowReader::kAnySize;
  return std::max({memory_limit_bytes, read_size_bytes, kRowSizeMin});
}

std::int64_t table_size_max(std::int64_t memory_limit_bytes) noexcept {
  if (memory_limit_bytes == 0) return RowReader::kAnySize;
  return std::max(memory_limit_bytes / 2, kTableSizeMin);
}

std::int64_t long_row_bytes(std::int64_t memory_limit_bytes) noexcept {
  return std::max<std::int64_t>(0, memory_limit_bytes - kRowSizeMin);
}

ChunkBuilder::ChunkBuilder(const TextSchema& schema, std::int64_t chunk_size_bytes)
    : schema_(schema), chunk_size_bytes_(chunk_size_bytes), streams_(schema.streams.size()) {}

ChunkBuilder::ChunkBuilder(const TextSchema& schema, const ScanPart& part)
    : ChunkBuilder(schema, part.chunk_size_bytes) {
  block_ = part.block;
}

std::optional<ScannedChunk> ChunkBuilder::add(const Sequence& sequence,
                                              std::span<const StreamCounts> streams) {
  std::optional<ScannedChunk> full;
  if (block_ != nullptr) {
    block_->sequences.push_back(sequence);
    block_->add_counts(block_->sequences.back(), streams);
    return full;
  }
  // Text between sequences (of dropped sequences) does not count towards the size of the new
  // sequence, unless the format leaves out sequences of any size.
  const std::int64_t size = schema_.may_drop ? sequence.end - chunk_.offset_bytes
                                             : chunk_.size_bytes + (sequence.end - sequence.offset);
  if (table_.size() > 0 && size > chunk_size_bytes_) {
    full = finish();
  }
  if (table_.size() == 0) {
    chunk_.offset_bytes = sequence.offset;
    chunk_.first_line = sequence.line;
  }
  SequenceInfo info{.key = sequence.key,
                    .offset_bytes = sequence.offset - chunk_.offset_bytes,
                    .first_line = sequence.line - chunk_.first_line,
                    .sample_count = sequence.sample_count};
  if (schema_.has_costs) info.cost = sequence.cost;
  table_.push_back(info);
  count_noted(sequence);
  chunk_.sample_count += sequence.sample_count;
  if (schema_.has_text_keys) {
    // A short text lies inside its string.
    constexpr auto kStringSize = std::int64_t{sizeof(std::string)};
    key_texts_size_ += kStringSize + std::max(kStringSize, sequence.key_text_size);
  }
  chunk_.size_bytes = sequence.end - chunk_.offset_bytes;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].sample_count += streams[i].sample_count;
    streams_[i].pair_count += streams[i].pair_count;
  }
  return full;
}

std::optional<ScannedChunk> ChunkBuilder::finish() {
  if (table_.size() == 0) return std::nullopt;
  chunk_.sequence_count = table_.size();
  chunk_.decoded_size_bytes = decoded_size_bytes();
  ScannedChunk chunk{.info = std::exchange(chunk_, {}),
                     .sequences = table_.finish(),
                     .notes = {.streams = streams_, .unit_hashes = {}, .repeated = {}}};
  std::ranges::fill(streams_, StreamCounts{});
  key_texts_size_ = noted_bytes_ = 0;
  return chunk;
}

// Keys that are hashes take all their bytes. Other keys take the bytes of the difference from the
// previous key, or nothing while they are evenly spaced. Offsets are counted alike.
void ChunkBuilder::count_noted(const Sequence& sequence) {
  constexpr std::int64_t kBytesOfOffset = 2;
  const std::uint64_t rise = sequence.key.low - last_key_;
  const std::uint64_t distance = std::min(rise, 0 - rise);
  if (schema_.has_text_keys) {
    noted_bytes_ += std::int64_t{sizeof(SequenceKey)};
  } else if (rise != last_rise_) {
    noted_bytes_ += byte_count(distance);
  }
  if (sequence.offset - last_offset_ != last_size_) noted_bytes_ += kBytesOfOffset;
  if (schema_.has_costs) noted_bytes_ += byte_count(static_cast<std::uint64_t>(sequence.cost));
  last_rise_ = rise;
  last_key_ = sequence.key.low;
  last_size_ = sequence.offset - last_offset_;
  last_offset_ = sequence.offset;
  if (noted_bytes_ <= schema_.table_size_max_bytes) return;
  const double share = static_cast<double>(chunk_size_bytes_) /
                       static_cast<double>(std::max<std::int64_t>(1, chunk_.size_bytes));
  throw ConfigError(formatted(
      "memory limit: too small for the sequences of the chunk at byte {}, of which {} in {} bytes "
      "take all that the index may: raise memory_limit (--memory-limit) to {:.0f} or more, and "
      "further for several files; or lower chunk_size_bytes (--chunk-size) to {} or less",
      chunk_.offset_bytes, table_.size(), chunk_.size_bytes,
      double{kLimitOfIndex} * 2 * share * static_cast<double>(noted_bytes_), chunk_.size_bytes));
}

// With made-up dims the size may overflow. Then it is capped at a size above any memory.
std::int64_t ChunkBuilder::decoded_size_bytes() const {
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  std::int64_t sum = key_texts_size_;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = schema_.streams[i];
    const StreamCounts& counts = streams_[i];
    sum = plus(sum, (table_.size() + 1) * (kOffsetSize + 1));
    std::int64_t value_size = element_size(stream.element_type);
    std::int64_t value_count = 0;
    if (!stream.sample_shape.is_fixed()) {
      // Each sample has an end and an extent.
      sum = plus(sum, product(counts.sample_count + 1, 2 * kOffsetSize));
      value_count = counts.pair_count;
    } else if (stream.storage == Storage::dense) {
      value_count = product(counts.sample_count, stream.sample_shape.size());
      // A sample that is too short is an error. The densest text has a digit and a blank for each
      // value.
      if (!schema_.fills_up) value_count = std::min(value_count, chunk_.size_bytes / 2 + 1);
    } else {
      sum = plus(sum, (counts.sample_count + 1) * kOffsetSize);
      value_count = counts.pair_count;
      value_size += element_size(stream.index_type);
    }
    sum = plus(sum, product(value_count, value_size));
  }
  return sum;
}

}  // namespace sheaf::internal
