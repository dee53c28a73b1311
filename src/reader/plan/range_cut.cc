#include "reader/plan/range_cut.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/packed_ints.h"

#include "base/saturated.h"
#include "base/text.h"

namespace sheaf::internal {
namespace {

std::int64_t large_size_bytes() noexcept { return 16 * unit_size_bytes(); }

/// Returns larger units, of a few megabytes when decoded.
Units large_units(const ChunkInfo& chunk) {
  const std::int64_t size = large_size_bytes();
  const std::int64_t count = chunk.size_bytes / size + (chunk.size_bytes % size > 0 ? 1 : 0);
  return {chunk.sequence_count,
          std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(1, chunk.sequence_count))};
}

Units units_of(const Index& index, const ChunkInfo& chunk, UnitSize size) {
  if (!index.reads_parts()) return {chunk.sequence_count, 1};
  switch (size) {
    case UnitSize::one:
      return {chunk.sequence_count, std::max<std::int64_t>(1, chunk.sequence_count)};
    case UnitSize::large:
      return large_units(chunk);
    default:
      return Units(chunk);
  }
}

/// Returns a part of a table, without line numbers and locations, which nobody needs.
SequenceTable rows_of(const SequenceTable& table, std::int64_t first, std::int64_t count) {
  const SequenceTable::Columns& from = table.columns();
  const auto slice = [&](const PackedInts& values) {
    return values.size() > 0 ? values.slice(first, count) : PackedInts();
  };
  std::shared_ptr<SequenceTable::RareColumns> rare;
  if (from.rare && from.rare->costs.size() > 0) {
    rare = std::make_shared<SequenceTable::RareColumns>();
    rare->costs = slice(from.rare->costs);
  }
  return SequenceTable(
      {.keys_low = slice(from.keys_low),
       .keys_high = slice(from.keys_high),
       .offsets_bytes = slice(from.offsets_bytes),
       .first_lines = PackedInts(PackedInts::Line{}, count),
       .sample_counts = std::make_shared<const PackedInts>(slice(*from.sample_counts)),
       .rare = std::move(rare)});
}

// Returns nothing unless keys are evenly spaced numbers.
std::optional<PackedInts::Line> key_line_of(const SequenceTable& table) noexcept {
  if (table.columns().keys_high.size() > 0) return {};
  return table.columns().keys_low.line();
}

}  // namespace

ChunkInfo named_chunk(const Index& index, ChunkIndex chunk) {
  const std::optional<ChunkInfo> info = index.chunk(chunk);
  if (info) return *info;
  throw InternalError(formatted("the sequencer names chunk {}, which the index does not have",
                                static_cast<std::int64_t>(chunk)));
}

ChunkRange named_range(const ChunkInfo& chunk, const ChunkRange& range) {
  if (range.first < 0 || range.count < 1 || range.first >= chunk.sequence_count) {
    throw InternalError(formatted(
        "the sequencer names {} sequences from number {} of chunk {}, which has {}", range.count,
        range.first, static_cast<std::int64_t>(range.chunk), chunk.sequence_count));
  }
  const std::int64_t rest = chunk.sequence_count - range.first;
  if (range.first == 0 && range.count >= rest) return {range.chunk};
  return {range.chunk, range.first, std::min(range.count, rest)};
}

RangeCut::RangeCut(const Index& index, const ChunkRange& range, UnitSize size)
    : RangeCut(index, range, size, nullptr, nullptr) {}

RangeCut::RangeCut(const Index& index, const ChunkRange& range, UnitBegins begins,
                   UnitSizes held_bytes)
    : RangeCut(index, range, UnitSize::small, begins, held_bytes) {}

RangeCut::RangeCut(const Index& index, const ChunkRange& range, UnitSize size, UnitBegins begins,
                   UnitSizes held_bytes)
    : range_(range),
      info_(named_chunk(index, range.chunk)),
      units_(units_of(index, info_, size)),
      begins_(begins),
      held_bytes_(held_bytes),
      reads_parts_(index.reads_parts()),
      unit_text_max_bytes_(2 * (size == UnitSize::large ? large_size_bytes() : unit_size_bytes())),
      table_(index.sequences(range.chunk)) {
  if (table_->size() != info_.sequence_count) {
    throw InternalError(formatted("the index says that chunk {} has {} sequences, and knows {}",
                                  static_cast<std::int64_t>(range.chunk), info_.sequence_count,
                                  table_->size()));
  }
  bytes_per_sequence_ =
      static_cast<double>(info_.decoded_size_bytes) / static_cast<double>(info_.sequence_count);
  if (begins_ != nullptr) {
    units_per_sequence_ =
        static_cast<double>(begins_->size()) / static_cast<double>(info_.sequence_count);
  }
  constant_sample_count_ = table_->sample_counts().constant();
  end_ = is_whole(range) ? info_.sequence_count : range.first + range.count;
  end_offset_bytes_ = end_ < table_->size() ? table_->offset_bytes(end_) : info_.size_bytes;
  if (is_whole(range)) {
    key_line_ = key_line_of(*table_);
    return;
  }
  table_ = std::make_shared<const SequenceTable>(rows_of(*table_, range.first, range.count));
  table_first_ = range.first;
  key_line_ = key_line_of(*table_);
  constexpr std::int64_t kBytesPerRange =  // the range itself and its elements in maps
      sizeof(RangeCut) + sizeof(SequenceTable) + sizeof(PackedInts) + 24 * sizeof(void*);
  bytes_per_row_ =
      static_cast<double>(kBytesPerRange + table_->size_bytes()) / static_cast<double>(range.count);
}

// Blocks of text have about as many sequences each, so decoded units are looked for near the place
// that they would have if all units were equally long. A search takes several times as long.
std::int64_t RangeCut::unit_number(std::int64_t sequence) const noexcept {
  if (begins_ == nullptr) return units_.count() == 1 ? 0 : units_.of(sequence);
  const std::int64_t* const begins = begins_->data();
  const std::int64_t last = std::ssize(*begins_) - 1;
  constexpr std::int64_t kSteps = 4;
  const auto place = static_cast<std::int64_t>(static_cast<double>(sequence) * units_per_sequence_);
  std::int64_t number = std::min(place, last);
  const std::int64_t least = std::max<std::int64_t>(0, number - kSteps);
  const std::int64_t most = std::min(last, number + kSteps);
  while (number > least && begins[number] > sequence) --number;
  while (number < most && begins[number + 1] <= sequence) ++number;
  const bool is_found =
      begins[number] <= sequence && (number == last || sequence < begins[number + 1]);
  if (is_found) return number;
  return std::ranges::upper_bound(*begins_, sequence) - begins_->begin() - 1;
}

SequenceSpan RangeCut::unit(std::int64_t number) const noexcept {
  SequenceSpan unit;
  if (begins_ == nullptr) {
    unit = {units_.first(number), units_.first(number + 1)};
  } else {
    const auto place = static_cast<std::size_t>(number);
    const bool is_last = place + 1 == begins_->size();
    unit = {(*begins_)[place], is_last ? info_.sequence_count : (*begins_)[place + 1]};
  }
  return {std::max(range_.first, unit.first), std::min(end_, unit.end)};
}

std::int64_t RangeCut::offset(std::int64_t sequence) const noexcept {
  return sequence < end_ ? table_->offset_bytes(sequence - table_first_) : end_offset_bytes_;
}

std::int64_t RangeCut::decoded_bytes(std::int64_t first, std::int64_t count) const noexcept {
  // If the source has no bytes (generated data), the share is by number of sequences.
  const bool has_bytes = info_.size_bytes > 0;
  const std::int64_t part = has_bytes ? offset(first + count) - offset(first) : count;
  const std::int64_t whole = has_bytes ? info_.size_bytes : info_.sequence_count;
  if (part >= whole) return info_.decoded_size_bytes;
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<std::int64_t>(
      std::ceil(share * static_cast<double>(info_.decoded_size_bytes)));
}

// Sizes are known only for whole units, so the size of a partial unit at an end of the range is
// estimated.
std::int64_t RangeCut::held_bytes(std::int64_t first, std::int64_t count) const noexcept {
  if (held_bytes_ == nullptr) return decoded_bytes(first, count);
  std::int64_t bytes = 0;
  for (const std::int64_t end = first + count; first < end;) {
    const auto behind = std::ranges::upper_bound(*begins_, first);
    const std::int64_t unit_first = *std::prev(behind);
    const std::int64_t unit_end = behind == begins_->end() ? info_.sequence_count : *behind;
    const bool is_all = unit_first == first && unit_end <= end;
    const auto number = std::prev(behind) - begins_->begin();
    const std::int64_t next = std::min(unit_end, end);
    bytes = saturated_sum(bytes, is_all ? (*held_bytes_)[static_cast<std::size_t>(number)]
                                        : decoded_bytes(first, next - first));
    first = next;
  }
  return bytes;
}

// Sorting the pairs of a text row takes up to half as much memory again.
std::int64_t RangeCut::long_text_bytes(std::int64_t first, std::int64_t count) const noexcept {
  if (info_.first_line == 0) return 0;  // not a text format
  const std::int64_t text = offset(first + count) - offset(first);
  return text <= unit_text_max_bytes_ ? 0 : text + text / 2;
}

std::int64_t RangeCut::row_bytes(std::int64_t count) const noexcept {
  return static_cast<std::int64_t>(std::ceil(bytes_per_row_ * static_cast<double>(count)));
}

}  // namespace sheaf::internal
