#include "ops/report/sheaf_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "dataset/unit_bytes.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kStretches = 4;
constexpr std::int64_t kStretchBytes = std::int64_t{256} << 10;  // of the data, for each stretch
constexpr std::int64_t kDecodedBytes = std::int64_t{4} << 20;    // decoded size of a stretch
constexpr std::int64_t kLargestBytes = std::int64_t{64} << 20;   // a stretch with a larger single
                                                                 // sequence is skipped

std::int64_t end_of(const ChunkInfo& chunk, const SequenceTable& table, std::int64_t sequence) {
  return sequence < table.size() ? table.offset_bytes(sequence) : chunk.size_bytes;
}

// Returns the sequences from `first` on that fit the byte limit, but at least one.
ChunkRange stretch_from(const ChunkInfo& chunk, const SequenceTable& table, ChunkIndex number,
                        std::int64_t first) {
  const double grows = static_cast<double>(chunk.decoded_size_bytes) /
                       static_cast<double>(std::max<std::int64_t>(1, chunk.size_bytes));
  const auto bytes_max = std::min(
      kStretchBytes,
      static_cast<std::int64_t>(static_cast<double>(kDecodedBytes) / std::max(grows, 1e-3)));
  std::int64_t end = first + 1;
  const std::int64_t begin_bytes = end_of(chunk, table, first);
  while (end < table.size() && end_of(chunk, table, end + 1) - begin_bytes <= bytes_max) ++end;
  return {number, first, end - first};
}

// Returns the number of sequences before the first hole.
std::int64_t good_count(const Chunk& chunk) {
  return chunk.holes().empty() ? chunk.sequence_count() : chunk.holes().front();
}

/// Writes stretches and adds up their sizes.
class Trial {
 public:
  Trial(const Deserializer& data, const Format& format)
      : data_(data), unit_bytes_(format, data.streams()) {}

  void write(const ChunkRange& stretch, const ChunkInfo& chunk, const SequenceTable& table) {
    const std::int64_t bytes =
        end_of(chunk, table, stretch.first + stretch.count) - end_of(chunk, table, stretch.first);
    if (bytes > kLargestBytes) return;
    Diagnostics ignored(0);
    const Chunk read = data_.read(stretch, ignored);
    const std::int64_t count = good_count(read);
    if (count == 0) return;
    std::vector<SequenceKey> keys;
    const std::int64_t first = stretch.first;
    for (std::int64_t i = 0; i < count; ++i) keys.push_back(table.key(first + i));
    written_ += std::ssize(unit_bytes_.write({}, read, 0, keys));
    looked_at_ += end_of(chunk, table, first + count) - end_of(chunk, table, first);
  }

  [[nodiscard]] std::optional<SheafEstimate> estimate(std::int64_t bytes) const {
    if (looked_at_ == 0) return std::nullopt;
    const double part = static_cast<double>(written_) / static_cast<double>(looked_at_);
    return SheafEstimate{.bytes = std::llround(part * static_cast<double>(bytes)),
                         .looked_at = looked_at_};
  }

 private:
  const Deserializer& data_;
  UnitBytes unit_bytes_;
  std::int64_t written_ = 0;
  std::int64_t looked_at_ = 0;
};

}  // namespace

std::optional<SheafEstimate> sheaf_estimate(const ReportSource& source) try {
  const Deserializer& data = *source.data.data;
  const auto chunks = static_cast<std::int64_t>(source.numbers.chunk_end);
  if (source.numbers.sequences == 0 || !data.storage().empty()) return std::nullopt;
  const auto formats = builtin_formats();
  const auto format = std::ranges::find(formats, true, &Format::stores_units);
  if (format == formats.end()) return std::nullopt;
  Trial trial(data, *format);
  std::optional<ChunkRange> last;
  for (std::int64_t i = 0; i < kStretches; ++i) {
    // The middle of quarter i of the data, in eighths of a chunk from the beginning.
    const std::int64_t eighths = (2 * i + 1) * chunks;
    const ChunkIndex number{eighths / (2 * kStretches)};
    const auto table = data.index().sequences(number);
    const std::int64_t first = eighths % (2 * kStretches) * table->size() / (2 * kStretches);
    if (last && last->contains(number, first)) continue;
    const ChunkInfo chunk = *data.index().chunk(number);
    const ChunkRange stretch = stretch_from(chunk, *table, number, first);
    trial.write(stretch, chunk, *table);
    last = stretch;
  }
  return trial.estimate(source.numbers.bytes);
} catch (const ConfigError&) {
  return std::nullopt;  // The format cannot hold the streams.
} catch (const DataError&) {
  return std::nullopt;  // The format cannot hold a sequence.
}

}  // namespace sheaf::internal
