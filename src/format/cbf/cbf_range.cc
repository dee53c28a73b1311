// A range is read as a list of parts. A part is either a whole chunk, whose streams are found by
// walking over it, or a stretch whose location in each stream is known or expected. All bytes are
// read into one buffer, in as few reads as possible. All counts are checked before any column is
// made. So columns have their final size from the start, and damage affects whole parts in every
// stream.

#include "format/cbf/cbf_range.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/cbf/cbf_bytes.h"
#include "index/units.h"

namespace sheaf::cbf {

RangeReader::RangeReader(const OpenFile& open, const Schema& schema, const CbfIndex& index,
                         const ReadAhead& read_ahead)
    : open_(open),
      schema_(schema),
      index_(index),
      read_ahead_(read_ahead),
      streams_in_file_order_(schema.streams.size()),
      wanted_of_file_stream_(open.file.streams.size(), -1),
      totals_(schema.streams.size()) {
  std::iota(streams_in_file_order_.begin(), streams_in_file_order_.end(), std::size_t{0});
  std::ranges::sort(streams_in_file_order_, {},
                    [&](std::size_t i) { return schema.file_streams[i]; });
  for (std::size_t i = 0; i < schema.streams.size(); ++i) {
    wanted_of_file_stream_[static_cast<std::size_t>(schema.file_streams[i])] =
        static_cast<std::int64_t>(i);
  }
}

std::int64_t RangeReader::add_extent(std::int64_t file_offset, std::int64_t size) {
  const std::int64_t offset = size_bytes_;
  size_bytes_ += size;
  if (!extents_.empty()) {
    Extent& last = extents_.back();
    if (last.file_offset + last.size == file_offset) {
      last.size += size;
      return offset;
    }
  }
  extents_.push_back({file_offset, size, offset});
  return offset;
}

void RangeReader::plan_whole(const Piece& piece, const ChunkTable::Chunk& chunk,
                             std::int64_t number) {
  const std::int64_t offset = add_extent(chunk.offset, chunk.size);
  parts_.push_back({.chunk = chunk,
                    .first = 0,
                    .count = chunk.sequence_count,
                    .wanted_first = piece.first,
                    .wanted_count = piece.count,
                    .number = number,
                    .is_whole = true,
                    .offset = offset});
  spans_.resize(parts_.size() * schema_.streams.size());
}

void RangeReader::plan_parts(const Piece& piece, const ChunkTable::Chunk& chunk,
                             const FoundLayout& found, std::int64_t number) {
  const internal::Units parts(chunk.sequence_count, found.layout.part_count);
  const std::int64_t first_part = parts.of(piece.first);
  const std::int64_t last_part = parts.of(piece.first + piece.count - 1);
  const std::size_t new_part = parts_.size();
  std::vector<std::shared_ptr<const FoundLayout>> walked;  // null: the part lies as expected
  for (std::int64_t i = first_part; i <= last_part; ++i) {
    const std::int64_t begin = parts.first(i);
    const std::int64_t end = parts.first(i + 1);
    const std::int64_t wanted = std::max(begin, piece.first);
    const std::int64_t count = std::min(end, piece.first + piece.count) - wanted;
    const bool is_missing = missing_parts_.contains(chunk.first_sequence + begin);
    walked.push_back(is_missing ? index_.walked_layout(piece.chunk) : nullptr);
    parts_.push_back({.chunk = chunk,
                      .first = begin,
                      .count = end - begin,
                      .wanted_first = wanted - begin,
                      .wanted_count = count,
                      .number = number,
                      .is_expected = found.is_expected && !is_missing,
                      .damage = is_missing ? walked.back()->damage : std::nullopt});
    number += count;
  }
  spans_.resize(parts_.size() * schema_.streams.size());
  for (const std::size_t wanted : streams_in_file_order_) {
    const std::int64_t stream = schema_.file_streams[wanted];
    for (std::int64_t i = first_part; i <= last_part; ++i) {
      const auto k = static_cast<std::size_t>(i - first_part);
      if (parts_[new_part + k].damage) continue;
      const ChunkLayout& layout = walked[k] ? walked[k]->layout : found.layout;
      const std::int64_t start = layout.start(stream, i);
      // The first part of the next stream follows the last part of a stream.
      const std::int64_t size = layout.start(stream, i + 1) - start;
      Span& span = spans_[(new_part + k) * schema_.streams.size() + wanted];
      span = {.offset = add_extent(chunk.offset + start, size), .size = size};
      if (!layout.hashes.empty()) span.hash = layout.hash(stream, i);
    }
  }
}

void RangeReader::plan_damaged(const Piece& piece, const ChunkTable::Chunk& chunk,
                               const Damage& damage, std::int64_t number) {
  parts_.push_back({.chunk = chunk,
                    .first = piece.first,
                    .count = piece.count,
                    .wanted_first = 0,
                    .wanted_count = piece.count,
                    .number = number,
                    .damage = damage});
  spans_.resize(parts_.size() * schema_.streams.size());
}

void RangeReader::plan(const ChunkRange& range) {
  for (const Piece& piece : index_.pieces(range)) {
    const ChunkTable::Chunk chunk = open_.file.chunks[piece.chunk];
    const std::shared_ptr<const FoundLayout> found = index_.layout(piece);
    if (!found) {
      plan_whole(piece, chunk, sequence_count_);
    } else if (found->damage) {
      plan_damaged(piece, chunk, *found->damage, sequence_count_);
    } else {
      plan_parts(piece, chunk, *found, sequence_count_);
    }
    sequence_count_ += piece.count;
  }
}

// If a part is not where it was expected, plans and reads again with its true location. The plans
// of other parts do not change. So the result for a part does not depend on the other parts that
// are read with it.
void RangeReader::look_for_missing_parts(const ChunkRange& range) {
  for (const Part& part : parts_) {
    if (part.is_expected && part.damage) {
      missing_parts_.insert(part.chunk.first_sequence + part.first);
    }
  }
  if (missing_parts_.empty()) return;
  parts_.clear();
  spans_.clear();
  extents_.clear();
  sequence_count_ = 0;
  size_bytes_ = 0;
  totals_.assign(totals_.size(), {});
  plan(range);
  fetch();
  for (std::size_t i = 0; i < parts_.size(); ++i) measure(i);
}

void RangeReader::fetch() {
  if (extents_.size() == 1) {
    bytes_ = read_ahead_.read(extents_.front().file_offset, extents_.front().size);
    return;
  }
  Buffer buffer;
  buffer.reserve(size_bytes_);
  buffer.resize(size_bytes_);
  std::vector<ByteSource::Request> requests;
  requests.reserve(extents_.size());
  for (const Extent& extent : extents_) {
    requests.push_back(
        {extent.file_offset,
         {buffer.mutable_data() + extent.offset, static_cast<std::size_t>(extent.size)}});
  }
  open_.source->read_many(requests);
  const auto owner = std::make_shared<const Buffer>(std::move(buffer));
  bytes_ = {std::span(owner->data(), static_cast<std::size_t>(size_bytes_)), owner};
}

std::int64_t RangeReader::file_offset_of(std::int64_t offset) const noexcept {
  const auto behind = std::ranges::upper_bound(extents_, offset, {}, &Extent::offset);
  const Extent& extent = *(behind - 1);
  return extent.file_offset + (offset - extent.offset);
}

// Walks over the blocks of a part in one stream. Notes where the wanted blocks begin and what they
// hold. Returns null if the blocks are damaged.
const std::byte* RangeReader::walk(Part& part, std::int64_t file_stream, const std::byte* begin,
                                   const std::byte* limit, Span* span,
                                   ColumnBuilder::Totals* totals) const {
  const FileStream& stream = open_.file.streams[static_cast<std::size_t>(file_stream)];
  const std::array<std::int64_t, 3> counts = {part.wanted_first, part.wanted_count,
                                              part.count - part.wanted_first - part.wanted_count};
  std::int64_t number = part.first;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i == 1 && span != nullptr) span->wanted = begin;
    if (i == 2 && span != nullptr) span->wanted_size = begin - span->wanted;
    const Blocks blocks = walk_blocks(stream, begin, limit, counts[i]);
    if (blocks.wrong) {
      part.damage = Damage{*blocks.wrong, number + blocks.wrong_block, file_stream};
      part.damage->wrong.byte_offset += file_offset_of(blocks.end - bytes_.bytes.data());
      return nullptr;
    }
    if (i == 1 && totals != nullptr) {
      totals->sample_count += blocks.sample_count;
      totals->value_count += blocks.value_count;
    }
    begin = blocks.end;
    number += counts[i];
  }
  return begin;
}

void RangeReader::measure_whole(Part& part, Span* spans,
                                std::span<ColumnBuilder::Totals> totals) const {
  const std::byte* begin = bytes_.bytes.data() + part.offset;
  const std::byte* limit = begin + part.chunk.size;
  const std::byte* at = begin + part.chunk.sequence_count * kCountSize;
  for (std::int64_t i = 0; i < std::ssize(open_.file.streams); ++i) {
    const std::int64_t wanted = wanted_of_file_stream_[static_cast<std::size_t>(i)];
    const auto n = static_cast<std::size_t>(wanted);
    at = wanted < 0 ? walk(part, i, at, limit, nullptr, nullptr)
                    : walk(part, i, at, limit, &spans[n], &totals[n]);
    if (at == nullptr) return;
  }
  if (at != limit) {
    part.damage = Damage{{&kSlack, part.chunk.offset + (at - begin), limit - at, 0}, -1, -1};
  }
}

void RangeReader::measure_spans(Part& part, Span* spans,
                                std::span<ColumnBuilder::Totals> totals) const {
  for (const std::size_t i : streams_in_file_order_) {
    Span& span = spans[i];
    const std::byte* begin = bytes_.bytes.data() + span.offset;
    const std::int64_t stream = schema_.file_streams[i];
    const std::int64_t at = span.size > 0 ? file_offset_of(span.offset) : part.chunk.offset;
    if (span.hash && XXH3_64bits(begin, static_cast<std::size_t>(span.size)) != *span.hash) {
      part.damage = Damage{{&kHash, at, 0, 0}, part.first, stream};
      return;
    }
    const std::byte* end = walk(part, stream, begin, begin + span.size, &span, &totals[i]);
    if (end == nullptr) return;
    if (end != begin + span.size) {
      part.damage = Damage{{&kSlack, at + (end - begin), begin + span.size - end, 0}, -1, stream};
      return;
    }
  }
}

void RangeReader::measure(std::size_t number) {
  Part& part = parts_[number];
  if (part.damage) return;
  std::vector<ColumnBuilder::Totals>& totals = totals_with_part_;
  totals = totals_;
  Span* spans = &spans_[number * schema_.streams.size()];
  part.is_whole ? measure_whole(part, spans, totals) : measure_spans(part, spans, totals);
  if (!part.damage) totals_.swap(totals);
}

// Keeps only the wanted bytes if they are less than half of the bytes read.
void RangeReader::compact() {
  std::int64_t wanted_size = 0;
  const std::size_t width = schema_.streams.size();
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (!parts_[i / width].damage) wanted_size += spans_[i].wanted_size;
  }
  if (wanted_size * 2 >= std::ssize(bytes_.bytes)) return;
  Buffer buffer;
  buffer.reserve(wanted_size);
  buffer.resize(wanted_size);
  std::vector<Extent> extents;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    Span& span = spans_[i];
    if (parts_[i / width].damage || span.wanted_size == 0) continue;
    std::memcpy(buffer.mutable_data() + offset, span.wanted,
                static_cast<std::size_t>(span.wanted_size));
    extents.push_back(
        {file_offset_of(span.wanted - bytes_.bytes.data()), span.wanted_size, offset});
    span.wanted = buffer.data() + offset;
    offset += span.wanted_size;
  }
  const auto owner = std::make_shared<const Buffer>(std::move(buffer));
  bytes_ = {std::span(owner->data(), static_cast<std::size_t>(wanted_size)), owner};
  extents_ = std::move(extents);
}

const RangeReader::Part& RangeReader::part_of(std::int64_t number) const noexcept {
  const auto behind = std::ranges::upper_bound(parts_, number, {}, &Part::number);
  return *(behind - 1);
}

void RangeReader::collect_wrong(std::span<const ColumnBuilder> builders) {
  for (std::size_t i = 0; i < builders.size(); ++i) {
    for (const ColumnBuilder::Wrong& each : builders[i].wrong()) {
      const Part& part = part_of(each.sequence);
      const std::int64_t in_chunk = part.first + part.wanted_first + (each.sequence - part.number);
      WrongNumber wrong = each.number;
      wrong.byte_offset = file_offset_of(wrong.byte_offset);
      wrong_.push_back({each.sequence,
                        wrong,
                        {part.chunk.number, in_chunk, schema_.streams[i].name},
                        part.chunk.first_sequence + in_chunk});
    }
  }
  for (const Part& part : parts_) {
    if (!part.damage) continue;
    std::string_view stream;
    if (part.damage->stream >= 0) {
      const auto n = static_cast<std::size_t>(part.damage->stream);
      const std::int64_t wanted = wanted_of_file_stream_[n];
      stream = wanted < 0 ? std::string_view(open_.file.streams[n].name)
                          : schema_.streams[static_cast<std::size_t>(wanted)].name;
    }
    for (std::int64_t i = 0; i < part.wanted_count; ++i) {
      wrong_.push_back({part.number + i,
                        part.damage->wrong,
                        {part.chunk.number, part.damage->sequence, stream},
                        part.chunk.first_sequence + part.first + part.wanted_first + i});
    }
  }
  std::ranges::stable_sort(wrong_, {}, &Wrong::number);
}

void RangeReader::report(const ChunkRange& range, Diagnostics& diagnostics) {
  for (const Wrong& each : wrong_) {
    Diagnostic diagnostic;
    if (diagnostics.wants_text()) {
      diagnostic = wrong_at(*open_.source, each.wrong, each.location);
      diagnostic.sequence_key = std::to_string(each.key);
    }
    diagnostic.byte_offset = each.wrong.byte_offset;
    diagnostics.add(range.first + each.number, std::move(diagnostic));
  }
}

Chunk RangeReader::read(const ChunkRange& range, Diagnostics& diagnostics) {
  plan(range);
  fetch();
  for (std::size_t i = 0; i < parts_.size(); ++i) measure(i);
  look_for_missing_parts(range);
  compact();

  std::vector<ColumnBuilder> builders;
  builders.reserve(schema_.streams.size());
  for (std::size_t i = 0; i < schema_.streams.size(); ++i) {
    totals_[i].sequence_count = sequence_count_;
    const auto in_file = static_cast<std::size_t>(schema_.file_streams[i]);
    ColumnBuilder& builder =
        builders.emplace_back(open_.file.streams[in_file], schema_.streams[i],
                              schema_.allows_missing, bytes_.bytes, totals_[i]);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (parts_[part].damage) {
        builder.append_nothing(parts_[part].wanted_count);
      } else {
        builder.append(spans_[part * schema_.streams.size() + i].wanted, parts_[part].wanted_count);
      }
    }
  }
  collect_wrong(builders);
  std::vector<std::int64_t> holes;
  for (const Wrong& each : wrong_) {
    if (holes.empty() || holes.back() != each.number) holes.push_back(each.number);
  }
  report(range, diagnostics);
  std::vector<Column> columns;
  columns.reserve(builders.size());
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish(bytes_.owner, holes));
  return {schema_.streams, sequence_count_, std::move(columns), std::move(holes)};
}

}  // namespace sheaf::cbf
