#include "ops/data_stat.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/element_cast.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kBlockSize = 4096;

// Makes two passes over a block that fits into the cache: the first computes the mean, the second
// the squared deviations.
template <typename T>
ValueStat stat_of_block(std::span<const T> values) {
  ValueStat stat;
  stat.count = std::ssize(values);
  double sum = 0;
  bool is_first = true;
  for (const T each : values) {
    const auto value = static_cast<double>(arithmetic(each));
    if (!std::isfinite(value)) {
      ++stat.non_finite;
      continue;
    }
    stat.zeros += value == 0 ? 1 : 0;
    stat.min = is_first ? value : std::min(stat.min, value);
    stat.max = is_first ? value : std::max(stat.max, value);
    is_first = false;
    sum += value;
  }
  if (stat.finite_count() == 0) return stat;
  stat.mean = sum / static_cast<double>(stat.finite_count());
  for (const T each : values) {
    const auto value = static_cast<double>(arithmetic(each));
    if (std::isfinite(value)) stat.squares += (value - stat.mean) * (value - stat.mean);
  }
  return stat;
}

template <typename T>
ValueStat stat_of_values(std::span<const T> values) {
  ValueStat stat;
  while (!values.empty()) {
    const std::size_t size = std::min(values.size(), kBlockSize);
    stat.add(stat_of_block(values.first(size)));
    values = values.subspan(size);
  }
  return stat;
}

std::optional<ValueStat> stat_of_values(ElementType type, const Buffer& values) {
  if (type == ElementType::bytes) return std::nullopt;
  return with_zero_of(type, [&](auto zero) { return stat_of_values(values.as<decltype(zero)>()); });
}

// Returns the values of a stream, back to back.
Buffer gathered_values(const Stream& stream, const Chunk& chunk, std::int64_t number) {
  Buffer values;
  for (std::int64_t sequence = 0; sequence < chunk.sequence_count(); ++sequence) {
    const SequenceView view = chunk.view(number, sequence);
    const std::int64_t size = view.value_count * element_size(stream.element_type);
    const std::int64_t end = values.size_bytes();
    values.resize(end + size);
    if (size > 0)
      std::memcpy(values.mutable_data() + end, view.values, static_cast<std::size_t>(size));
  }
  return values;
}

void add_extents(const Stream& stream, const SequenceView& view, std::vector<ExtentStat>& all) {
  const std::int64_t rank = stream.sample_shape.rank();
  for (std::int64_t i = 0; i < view.sample_count * rank; ++i) {
    const std::int64_t extent = view.extents[i];
    const auto axis = static_cast<std::size_t>(i % rank);
    if (axis == all.size()) {
      all.push_back({.min = extent, .max = extent, .sum = 0});
    }
    ExtentStat& stat = all[axis];
    stat.min = std::min(stat.min, extent);
    stat.max = std::max(stat.max, extent);
    stat.sum += static_cast<double>(extent);
  }
}

// Hashes the content of a sequence: collects 128-bit hashes of its arrays and hashes these.
class ContentHash {
 public:
  void add(const Stream& stream, const SequenceView& view) {
    words_.push_back(view.is_present ? 1 : 0);
    words_.push_back(static_cast<std::uint64_t>(view.sample_count));
    add_bytes(view.values, view.value_count * element_size(stream.element_type));
    if (view.indices != nullptr) {
      add_bytes(view.indices, view.value_count * element_size(stream.index_type));
    }
    if (view.sample_offsets != nullptr) {  // only differences of offsets are content
      for (std::int64_t i = 0; i < view.sample_count; ++i) {
        words_.push_back(
            static_cast<std::uint64_t>(view.sample_offsets[i + 1] - view.sample_offsets[i]));
      }
    }
    if (view.extents != nullptr) {
      add_bytes(reinterpret_cast<const std::byte*>(view.extents),
                view.sample_count * stream.sample_shape.rank() *
                    static_cast<std::int64_t>(sizeof(std::int64_t)));
    }
  }

  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> take() {
    const XXH128_hash_t hash = XXH3_128bits(words_.data(), words_.size() * sizeof(words_[0]));
    words_.clear();
    return {hash.low64, hash.high64};
  }

 private:
  void add_bytes(const std::byte* bytes, std::int64_t size) {
    const XXH128_hash_t hash = XXH3_128bits(bytes, static_cast<std::size_t>(size));
    words_.push_back(hash.low64);
    words_.push_back(hash.high64);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace

void add_extents(const std::vector<ExtentStat>& from, std::vector<ExtentStat>& to) {
  if (to.empty()) {
    to = from;
    return;
  }
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    to[axis].min = std::min(to[axis].min, from[axis].min);
    to[axis].max = std::max(to[axis].max, from[axis].max);
    to[axis].sum += from[axis].sum;
  }
}

void DataStat::add(DataStat other) {
  counts.lengths.add(other.counts.lengths);
  counts.holes += other.counts.holes;
  counts.error_count += other.counts.error_count;
  counts.warning_count += other.counts.warning_count;
  for (std::size_t i = 0; i < other.counts.stream_stats.size(); ++i) {
    StreamStat& to = counts.stream_stats[i];
    const StreamStat& from = other.counts.stream_stats[i];
    to.lengths.add(from.lengths);
    to.absent += from.absent;
    to.samples += from.samples;
    add_extents(from.extents, to.extents);
    if (!from.values) continue;
    if (!to.values) to.values.emplace();
    to.values->add(*from.values);
  }
  contents.insert(contents.end(), other.contents.begin(), other.contents.end());
}

std::int64_t DataStat::duplicates() {
  std::ranges::sort(contents);
  std::int64_t count = 0;
  for (std::size_t i = 1; i < contents.size(); ++i) count += contents[i] == contents[i - 1] ? 1 : 0;
  return count;
}

DataStat stat_of(std::span<const Stream> streams, const Chunk& chunk,
                 const SequenceTable& sequences, std::int64_t first, bool has_contents) {
  DataStat stat;
  StatReport& counts = stat.counts;
  counts.holes = std::ssize(chunk.holes());
  counts.stream_stats.resize(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Column& column = chunk.columns()[i];
    counts.stream_stats[i].values =
        column.value_byte_offsets.empty()
            ? stat_of_values(streams[i].element_type, column.values)
            : stat_of_values(streams[i].element_type,
                             gathered_values(streams[i], chunk, static_cast<std::int64_t>(i)));
  }
  ContentHash content;
  for (std::int64_t sequence = 0; sequence < chunk.sequence_count(); ++sequence) {
    if (chunk.is_hole(sequence)) continue;
    counts.lengths.add(sequences.sample_count(first + sequence));
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const SequenceView view = chunk.view(static_cast<std::int64_t>(i), sequence);
      StreamStat& stream = counts.stream_stats[i];
      stream.samples += view.sample_count;
      if (view.extents != nullptr) add_extents(streams[i], view, stream.extents);
      if (view.is_present) {
        stream.lengths.add(view.sample_count);
      } else {
        ++stream.absent;
      }
      if (has_contents) content.add(streams[i], view);
    }
    if (has_contents) stat.contents.push_back(content.take());
  }
  return stat;
}

}  // namespace sheaf::internal
