// Every sequence, every sample and every line but the last takes at least one byte of the text. So
// the sizes bound all counts, and the size of the text bounds all sizes. In formats where a few
// bytes stand for many samples, each sample takes at least one byte of memory.

#include "format/text/file_checks.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/text.h"
#include "index/units.h"

namespace sheaf::internal {
namespace {

// More than any memory, yet small enough that sums and products of shares do not overflow.
constexpr std::int64_t kDecodedBytesMax = std::int64_t{1} << 60;

/// Returns whether the numbers begin with 0, rise by at least `step_min` from one to the next, and
/// stay below `end`.
bool rises(const PackedInts& numbers, std::int64_t step_min, std::int64_t end) noexcept {
  const std::int64_t count = numbers.size();
  if (const auto line = numbers.line()) {
    return line->first == 0 &&
           (count == 1 || (line->step >= step_min && line->step <= (end - 1) / (count - 1)));
  }
  std::int64_t least = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = numbers[i];
    if (number < least || number >= end) return false;
    if (i == 0 && number != 0) return false;
    least = number + step_min;
  }
  return true;
}

/// Returns whether no number is negative and the numbers add up to `sum`.
///
/// Pre: the count of numbers and `sum` are at most the bytes of a file.
bool add_up(const PackedInts& numbers, std::int64_t sum) noexcept {
  std::int64_t rest = sum;
  if (const auto constant = numbers.constant()) {
    std::int64_t product = 0;
    return *constant >= 0 && !__builtin_mul_overflow(*constant, numbers.size(), &product) &&
           product == sum;
  }
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    if (number < 0 || number > rest) return false;
    rest -= number;
  }
  return rest == 0;
}

/// Returns whether all sequences have a cost and none has a location, since the text lies in one
/// file.
bool are_costs(const SequenceTable::RareColumns& columns) noexcept {
  if (columns.costs.size() == 0 || columns.sources.size() > 0) return false;
  for (std::int64_t i = 0; i < columns.costs.size(); ++i) {
    if (columns.costs[i] < 0) return false;
  }
  return true;
}

std::int64_t samples_max(const ChunkInfo& info, bool fills_up) noexcept {
  return fills_up ? info.decoded_size_bytes : info.size_bytes;
}

}  // namespace

std::string fault_of_chunks(const IndexFile& file, const ScanPart& rows, bool may_drop,
                            bool fills_up) {
  std::int64_t begin = rows.begin;  // of the previous chunk, as are the next ones
  std::int64_t end = rows.begin;
  std::int64_t line = rows.first_line;
  std::int64_t decoded = 0;  // of all chunks so far
  for (std::int64_t i = 0; i < file.chunk_count(); ++i) {
    const ChunkInfo& info = file.info(i);
    const bool has_location = info.offset_bytes >= end && info.offset_bytes <= rows.end &&
                              info.size_bytes >= 1 &&
                              info.size_bytes <= rows.end - info.offset_bytes;
    const bool is_next = i == 0 || may_drop || info.offset_bytes == end;
    if (!has_location || !is_next) return formatted("chunk {} cannot lie there", i);
    if (info.sequence_count < 1 || info.sequence_count > info.size_bytes || info.sample_count < 0 ||
        info.sample_count > samples_max(info, fills_up)) {
      return formatted("chunk {} cannot have so many sequences or samples", i);
    }
    if (info.first_line < line || info.first_line - line > info.offset_bytes - begin) {
      return formatted("chunk {} cannot begin in that line", i);
    }
    if (info.decoded_size_bytes < 0 ||
        __builtin_add_overflow(decoded, info.decoded_size_bytes, &decoded) ||
        decoded > kDecodedBytesMax) {
      return formatted("chunk {} cannot take so much memory", i);
    }
    begin = info.offset_bytes;
    end = info.offset_bytes + info.size_bytes;
    line = info.first_line;
  }
  if (file.chunk_count() > 0 && !may_drop && end != rows.end)
    return "there are data behind its chunks";
  return {};
}

bool fits(const ChunkInfo& info, const SequenceTable& table, bool has_costs) noexcept {
  const SequenceTable::Columns& columns = table.columns();
  if (has_costs != static_cast<bool>(columns.rare)) return false;
  if (columns.rare && !are_costs(*columns.rare)) return false;
  return rises(columns.offsets_bytes, 1, info.size_bytes) &&
         rises(columns.first_lines, 0, info.size_bytes) &&
         add_up(*columns.sample_counts, info.sample_count);
}

bool fits(const ChunkInfo& info, const ChunkNotes& notes, std::int64_t stream_count,
          bool fills_up) {
  const auto is_count = [count_max = samples_max(info, fills_up)](std::int64_t count) {
    return count >= 0 && count <= count_max;
  };
  const auto fits_stream = [&](const StreamCounts& stream) {
    return is_count(stream.sample_count) && is_count(stream.pair_count);
  };
  const bool has_hashes = !notes.unit_hashes.empty();
  const auto& repeated = notes.repeated;
  return std::ssize(notes.streams) == stream_count &&
         std::ranges::all_of(notes.streams, fits_stream) &&
         (!has_hashes || std::ssize(notes.unit_hashes) == Units(info).count()) &&
         std::ranges::adjacent_find(repeated, std::greater_equal<>()) == repeated.end() &&
         (repeated.empty() || (repeated.front() >= 0 && repeated.back() < info.sequence_count));
}

}  // namespace sheaf::internal
