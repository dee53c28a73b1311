#include "dataset/picked_sequences.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/index.h"

#include "base/text.h"
#include "core/column_gatherer.h"

namespace sheaf::internal {
namespace {

// The largest gap in the source that is read in vain. Reading the gap is as fast as beginning
// another read.
constexpr std::int64_t kGapBytes = 1 << 10;

/// Returns the view of a stream in a joined sequence.
SequenceView view_of(const SequenceSource& row, std::int64_t number, const Stream& stream,
                     bool is_hole) {
  if (is_hole) return {};
  if (row.chunk == nullptr) return {.is_present = false};
  const SequenceView view = row.chunk->view(number, row.sequence);
  if (row.samples_max == SampleRange::kAll || view.sample_count <= row.samples_max) return view;
  return part_of_view(view, stream, {0, row.samples_max});
}

Buffer borrowed(const Buffer& buffer, const std::shared_ptr<const Chunk>& owner) {
  if (buffer.empty()) return {};
  return Buffer::borrow(buffer.as<std::byte>(), owner);
}

/// Returns columns that borrow the memory of a chunk and keep the chunk alive.
std::vector<Column> borrowed_columns(const std::shared_ptr<const Chunk>& chunk) {
  std::vector<Column> columns;
  for (const Column& column : chunk->columns()) {
    columns.push_back({.values = borrowed(column.values, chunk),
                       .indices = borrowed(column.indices, chunk),
                       .sample_offsets = borrowed(column.sample_offsets, chunk),
                       .extents = borrowed(column.extents, chunk),
                       .sequence_offsets = borrowed(column.sequence_offsets, chunk),
                       .presence = borrowed(column.presence, chunk),
                       .value_byte_offsets = borrowed(column.value_byte_offsets, chunk),
                       .index_byte_offsets = borrowed(column.index_byte_offsets, chunk)});
  }
  return columns;
}

/// Returns a chunk of some sequences of another chunk.
Chunk part_of(const Chunk& chunk, std::span<const Stream> streams,
              std::span<const SequenceSource> sources) {
  std::vector<std::int64_t> holes;
  std::vector<std::string> texts;
  for (const SequenceSource& source : sources) {
    if (chunk.is_hole(source.sequence)) holes.push_back(std::ssize(texts));
    texts.emplace_back(chunk.key_text(source.sequence));
  }
  Chunk part(streams, std::ssize(sources), gather_columns(streams, sources, holes), holes);
  if (chunk.has_key_texts()) part.set_key_texts(std::move(texts));
  if (std::ranges::any_of(streams, &Stream::describes_others)) {
    std::vector<std::int64_t> described;
    for (const SequenceSource& source : sources) {
      described.push_back(chunk.described_count(source.sequence).value_or(-1));
    }
    part.set_described_counts(std::move(described));
  }
  return part;
}

/// Groups sequences that are sorted by chunk and number into ranges.
class RangeGrouper {
 public:
  explicit RangeGrouper(const Deserializer& data) : index_(data.index()) {}

  /// Returns how many sequences at the front of `wanted` are read together.
  std::size_t size_of_first(std::span<const WantedSequence> wanted) {
    std::size_t size = 1;
    while (size < wanted.size() && are_near(wanted[size - 1].location, wanted[size].location))
      ++size;
    return size;
  }

 private:
  bool are_near(const SequenceNumber& a, const SequenceNumber& b) {
    if (a.chunk != b.chunk) return false;
    if (a.sequence + 1 == b.sequence) return true;
    if (!table_ || chunk_ != a.chunk) {
      table_ = index_.sequences(a.chunk);
      chunk_ = a.chunk;
    }
    return table_->offset_bytes(b.sequence) - table_->offset_bytes(a.sequence + 1) <= kGapBytes;
  }

  const Index& index_;
  ChunkIndex chunk_{};
  std::shared_ptr<const SequenceTable> table_;  // of chunk_
};

}  // namespace

std::vector<Column> gather_columns(std::span<const Stream> streams,
                                   std::span<const SequenceSource> rows,
                                   std::span<const std::int64_t> holes) {
  const auto for_each_view = [&](std::int64_t number, auto&& visit) {
    const Stream& stream = streams[static_cast<std::size_t>(number)];
    auto hole = holes.begin();
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) {
      const bool is_hole = hole != holes.end() && *hole == i;
      if (is_hole) ++hole;
      visit(view_of(rows[static_cast<std::size_t>(i)], number, stream, is_hole));
    }
  };
  std::vector<Column> columns;
  for (std::int64_t s = 0; s < std::ssize(streams); ++s) {
    ColumnGatherer gatherer(streams[static_cast<std::size_t>(s)]);
    for_each_view(s, [&](const SequenceView& view) { gatherer.count(view); });
    gatherer.reserve(std::ssize(rows));
    for_each_view(s, [&](const SequenceView& view) { gatherer.add(view); });
    columns.push_back(gatherer.finish());
  }
  return columns;
}

PickedSequences::PickedSequences(const Deserializer& data, HeldUnits* held,
                                 std::vector<WantedSequence> wanted, std::int64_t row_count)
    : data_(data), sources_(static_cast<std::size_t>(row_count)) {
  const auto location = [](const WantedSequence& w) {
    return std::tuple(w.location.chunk, w.location.sequence);
  };
  const auto is_less = [&](const auto& a, const auto& b) { return location(a) < location(b); };
  if (!std::ranges::is_sorted(wanted, is_less)) std::ranges::sort(wanted, is_less);
  RangeGrouper grouper(data);
  for (std::span<const WantedSequence> rest(wanted); !rest.empty();) {
    std::size_t size = 0;
    if (held == nullptr) {
      size = grouper.size_of_first(rest);
      read(rest.first(size));
    } else {
      const SequenceNumber first = rest.front().location;
      const std::shared_ptr<const HeldUnit> unit = held->unit_of(first.chunk, first.sequence);
      const std::int64_t end = unit->first + unit->chunk.sequence_count();
      while (size < rest.size() && rest[size].location.chunk == first.chunk &&
             rest[size].location.sequence < end) {
        ++size;
      }
      take(unit, rest.first(size));
    }
    rest = rest.subspan(size);
  }
  std::ranges::sort(holes_);
}

// Reads sequences that lie near each other.
void PickedSequences::read(std::span<const WantedSequence> wanted) {
  const std::int64_t first = wanted.front().location.sequence;
  const ChunkRange range{.chunk = wanted.front().location.chunk,
                         .first = first,
                         .count = wanted.back().location.sequence - first + 1};
  Diagnostics diagnostics;
  Chunk chunk = data_.read(range, diagnostics);
  if (chunk.sequence_count() != range.count ||
      chunk.stream_count() != std::ssize(data_.streams())) {
    throw InternalError(formatted(
        "Deserializer::read of chunk {}: {} sequences of {} streams were asked for, {} of {} came",
        static_cast<std::int64_t>(range.chunk), range.count, data_.streams().size(),
        chunk.sequence_count(), chunk.stream_count()));
  }
  add_locations(wanted, diagnostics);

  std::vector<SequenceSource> sources;
  for (const WantedSequence& w : wanted) sources.push_back({&chunk, w.location.sequence - first});
  const bool is_whole = std::ssize(wanted) == range.count;
  if (!is_whole) chunk = part_of(chunk, data_.streams(), sources);
  const auto part = std::make_shared<const Chunk>(std::move(chunk));
  for (std::int64_t i = 0; i < std::ssize(wanted); ++i) {
    add_row(*part, wanted[static_cast<std::size_t>(i)].row, i);
  }
  parts_.push_back(part);
}

// Takes the sequences from a held unit.
void PickedSequences::take(const std::shared_ptr<const HeldUnit>& unit,
                           std::span<const WantedSequence> wanted) {
  add_locations(wanted, unit->diagnostics);
  for (const WantedSequence& w : wanted)
    add_row(unit->chunk, w.row, w.location.sequence - unit->first);
  parts_.emplace_back(unit, &unit->chunk);
}

void PickedSequences::add_row(const Chunk& part, std::int64_t row, std::int64_t sequence) {
  sources_[static_cast<std::size_t>(row)] = {&part, sequence};
  if (part.is_hole(sequence)) holes_.push_back(row);
}

// Notes the diagnostics of the wanted sequences.
void PickedSequences::add_locations(std::span<const WantedSequence> wanted,
                                    const Diagnostics& diagnostics) {
  std::int64_t number = 0;
  std::int64_t last = -1;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    number = entry.sequence == last ? number + 1 : 0;
    last = entry.sequence;
    const auto row = std::ranges::lower_bound(
        wanted, entry.sequence, {}, [](const WantedSequence& w) { return w.location.sequence; });
    if (row == wanted.end() || row->location.sequence != entry.sequence) continue;
    FoundDiagnostic& found = found_.emplace_back();
    found.row = row->row;
    found.number = number;
    found.location = row->location;
    found.is_described = entry.description != Diagnostics::Entry::kNotDescribed;
    if (found.is_described) {
      found.diagnostic = diagnostics.described()[static_cast<std::size_t>(entry.description)];
    }
    found.diagnostic.severity = entry.severity;
    found.diagnostic.byte_offset = entry.byte_offset;
  }
}

// Returns whether one read gave exactly the sequences of the result.
bool PickedSequences::is_one_range(std::span<const std::int64_t> holes) const {
  if (is_cut_ || parts_.size() != 1 || parts_[0]->sequence_count() != std::ssize(sources_))
    return false;
  for (std::int64_t i = 0; i < std::ssize(sources_); ++i) {
    if (sources_[static_cast<std::size_t>(i)].sequence != i) return false;
  }
  return std::ranges::equal(holes, parts_[0]->holes());
}

std::optional<std::int64_t> PickedSequences::sample_count(std::int64_t row) const {
  const SequenceSource& source = sources_[static_cast<std::size_t>(row)];
  if (source.chunk == nullptr || source.chunk->is_hole(source.sequence)) return std::nullopt;
  std::int64_t longest = 0;
  for (std::int64_t s = 0; s < source.chunk->stream_count(); ++s) {
    longest = std::max(longest, source.chunk->view(s, source.sequence).sample_count);
  }
  return longest;
}

std::optional<std::int64_t> PickedSequences::described_count(std::int64_t row) const {
  const SequenceSource& source = sources_[static_cast<std::size_t>(row)];
  if (source.chunk == nullptr || source.chunk->is_hole(source.sequence)) return std::nullopt;
  return source.chunk->described_count(source.sequence);
}

void PickedSequences::cut(std::int64_t row, std::int64_t sample_count) {
  sources_[static_cast<std::size_t>(row)].samples_max = sample_count;
  is_cut_ = true;
}

std::vector<Column> PickedSequences::columns(std::span<const std::int64_t> holes) const {
  if (is_one_range(holes)) return borrowed_columns(parts_[0]);
  return gather_columns(data_.streams(), sources_, holes);
}

bool PickedSequences::has_key_texts() const noexcept {
  return std::ranges::any_of(parts_, [](const auto& part) { return part->has_key_texts(); });
}

std::string_view PickedSequences::key_text(std::int64_t row) const noexcept {
  const SequenceSource& source = sources_[static_cast<std::size_t>(row)];
  return source.chunk == nullptr ? std::string_view{} : source.chunk->key_text(source.sequence);
}

}  // namespace sheaf::internal
