#include "index/scan_facts.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "sheaf/packed_ints.h"

#include "index/units.h"

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kDecodedMax = std::int64_t{1} << 48;  // beyond any memory

/// Whether all values are 0 .. max, each at least `rise` more than the one before.
bool rise_within(const PackedInts& values, std::int64_t rise, std::int64_t max) noexcept {
  if (const std::optional<PackedInts::Line> line = values.line()) {
    const Wide last = Wide{line->first} + Wide{line->step} * (values.size() - 1);
    return line->first >= 0 && last <= max && (line->step >= rise || values.size() == 1);
  }
  std::int64_t least = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (values[i] < least || values[i] > max) return false;
    least = values[i] + rise;
  }
  return true;
}

/// Whether none is negative, and they add up to `sum`.
bool add_up_to(const PackedInts& values, std::int64_t sum) noexcept {
  if (const std::optional<std::int64_t> all = values.constant()) {
    return *all >= 0 && Wide{*all} * values.size() == sum;
  }
  std::int64_t rest = sum;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] > rest) return false;
    rest -= values[i];
  }
  return rest == 0;
}

}  // namespace

bool can_be(const ChunkInfo& chunk, std::int64_t begin, std::int64_t end) noexcept {
  return chunk.offset_bytes >= begin && chunk.offset_bytes <= end && chunk.size_bytes > 0 &&
         chunk.size_bytes <= end - chunk.offset_bytes && chunk.first_line >= 1 &&
         chunk.first_line <= end && chunk.sequence_count > 0 &&
         chunk.sequence_count <= chunk.size_bytes && chunk.sample_count >= 0 &&
         chunk.sample_count <= chunk.size_bytes && chunk.decoded_size_bytes >= 0 &&
         chunk.decoded_size_bytes <= kDecodedMax;
}

bool can_be(const ChunkInfo& chunk, const SequenceTable& sequences, const ChunkNotes& notes,
            std::int64_t stream_count) noexcept {
  const SequenceTable::Columns& columns = sequences.columns();
  const auto is_count = [&](std::int64_t count) { return count >= 0 && count <= chunk.size_bytes; };
  const bool are_counts = std::ranges::all_of(notes.streams, [&](const StreamCounts& counts) {
    return is_count(counts.sample_count) && is_count(counts.pair_count);
  });
  const std::vector<std::int64_t>& repeated = notes.repeated;
  const bool do_rise =
      std::ranges::adjacent_find(repeated, std::greater_equal<>()) == repeated.end();
  const bool are_sequences =
      repeated.empty() || (repeated.front() >= 0 && repeated.back() < chunk.sequence_count);
  return rise_within(columns.offsets_bytes, 1, chunk.size_bytes - 1) &&
         rise_within(columns.first_lines, 0, chunk.size_bytes) &&
         add_up_to(*columns.sample_counts, chunk.sample_count) &&
         std::ssize(notes.streams) == stream_count && are_counts && do_rise && are_sequences &&
         (notes.unit_hashes.empty() || std::ssize(notes.unit_hashes) == Units(chunk).count());
}

}  // namespace sheaf::internal
