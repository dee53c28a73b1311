#include "reader/fetch/held_chunk.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/common_values.h"
#include "reader/fetch/chunk_memory.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kLargeBytes = std::int64_t{4} << 20;  // these get huge pages anyway

/// Borrowed arrays may be part of bytes that are in memory anyway, so a narrow copy would take more
/// memory.
bool is_borrowed(const Buffer& buffer) noexcept {
  return !buffer.empty() && buffer.capacity_bytes() == 0 && !is_common(buffer);
}

bool can_be_narrow(const Stream& stream, const Column& column) noexcept {
  return stream.element_type != ElementType::bytes && stream.sample_shape.is_fixed() &&
         column.value_byte_offsets.empty() && column.index_byte_offsets.empty() &&
         !is_borrowed(column.values) && !is_borrowed(column.indices);
}

/// Returns how much memory the arrays of a column need.
std::int64_t size_bytes(const Column& column) noexcept {
  std::int64_t bytes = 0;
  for (const Buffer* const buffer : {&column.values, &column.indices, &column.sample_offsets,
                                     &column.sequence_offsets, &column.presence}) {
    if (!is_common(*buffer)) bytes += buffer->size_bytes();
  }
  return bytes;
}

/// How to make a column narrow.
struct ColumnForm {
  NarrowForm values;
  NarrowForm indices;
  std::int64_t size_bytes;

  ColumnForm(const Stream& stream, const Column& column) noexcept
      : values(narrow_form(column.values, stream.element_type)),
        indices(narrow_form(column.indices, stream.index_type)),
        size_bytes(values.size_bytes() + indices.size_bytes() +
                   NarrowOffsets::size_bytes(column.sample_offsets) +
                   NarrowOffsets::size_bytes(column.sequence_offsets) +
                   column.presence.size_bytes()) {}
};

/// Returns how to make each column narrow. Returns an empty list if the chunk stays as it was read.
std::vector<ColumnForm> forms_of(const Chunk& chunk, std::span<const Stream> streams) {
  std::vector<ColumnForm> forms;
  std::int64_t bytes = 0;
  std::int64_t narrow_bytes = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Column& column = chunk.columns()[i];
    if (!can_be_narrow(streams[i], column)) return {};
    bytes += size_bytes(column);
    narrow_bytes += forms.emplace_back(streams[i], column).size_bytes;
  }
  return narrow_bytes <= HeldChunk::narrow_bytes_max(bytes) ? std::move(forms)
                                                            : std::vector<ColumnForm>();
}

}  // namespace

HeldChunk::HeldChunk(Chunk chunk, std::span<const Stream> streams,
                     std::pmr::memory_resource& memory, bool moves)
    : rows_(std::move(chunk)) {
  assert(rows_.stream_count() == std::ssize(streams));
  const std::vector<ColumnForm> forms = forms_of(rows_, streams);
  if (forms.empty()) {
    if (moves) rows_.move_arrays(memory, kLargeBytes);
    note_offsets();
    return;
  }
  std::vector<Column> columns = rows_.take_columns();
  columns_.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    const bool has_offsets = !column.sample_offsets.empty();
    columns_.push_back({
        .values = NarrowValues(column.values, forms[i].values, memory),
        .indices = NarrowValues(column.indices, forms[i].indices, memory),
        .sample_offsets = NarrowOffsets(column.sample_offsets, memory),
        .sequence_offsets = NarrowOffsets(column.sequence_offsets, memory),
        .presence = std::move(column.presence),
        .sample_size = has_offsets ? 0 : streams[i].sample_shape.size(),
    });
    column = {};  // frees memory for the next column
  }
  note_offsets();
}

void HeldChunk::note_offsets() noexcept {
  for (const Column& column : rows_.columns()) {
    has_sequence_numbers_ |= !column.sequence_offsets.empty() ||
                             !column.value_byte_offsets.empty() ||
                             !column.index_byte_offsets.empty();
    has_sample_offsets_ |= !column.sample_offsets.empty();
  }
  for (const NarrowColumn& column : columns_) {
    has_sequence_numbers_ |= !column.sequence_offsets.empty();
    has_sample_offsets_ |= !column.sample_offsets.empty();
  }
}

std::optional<std::int64_t> HeldChunk::sample_count(std::int64_t stream,
                                                    std::int64_t sequence) const noexcept {
  if (!is_narrow()) {
    const SequenceView view = rows_.view(stream, sequence);
    return view.is_present ? std::optional(view.sample_count) : std::nullopt;
  }
  const StoredSequence stored = stored_sequence(stream, sequence, {0, SampleRange::kAll});
  return stored.is_present ? std::optional(stored.sample_count) : std::nullopt;
}

void HeldChunk::prefetch_narrow(std::int64_t sequence, bool samples) const noexcept {
  for (const NarrowColumn& column : columns_) {
    const bool has_offsets = !column.sequence_offsets.empty();
    if (!samples && has_offsets) column.sequence_offsets.prefetch(sequence);
    if (!samples || column.sample_offsets.empty()) continue;
    column.sample_offsets.prefetch(has_offsets ? column.sequence_offsets[sequence] : sequence);
  }
}

HeldChunk::StoredSequence HeldChunk::stored_sequence(std::int64_t stream, std::int64_t sequence,
                                                     const SampleRange& range) const noexcept {
  const NarrowColumn& column = columns_[static_cast<std::size_t>(stream)];
  std::int64_t first = sequence;
  std::int64_t count = 1;
  if (!column.sequence_offsets.empty()) {
    first = column.sequence_offsets[sequence];
    count = column.sequence_offsets[sequence + 1] - first;
  }
  const std::int64_t skipped = std::min(range.first, count);
  StoredSequence stored;
  stored.first_sample = first + skipped;
  stored.sample_count = std::min(range.count, count - skipped);
  stored.whole_count = count;
  if (column.sample_size > 0) {
    stored.first_value = stored.first_sample * column.sample_size;
    stored.value_count = stored.sample_count * column.sample_size;
  } else {
    stored.first_value = column.sample_offsets[stored.first_sample];
    stored.value_count =
        column.sample_offsets[stored.first_sample + stored.sample_count] - stored.first_value;
  }
  stored.is_present = column.presence.empty() || column.presence.data()[sequence] != std::byte{0};
  return stored;
}

void HeldChunk::prefetch_values(std::int64_t stream, const StoredSequence& stored) const noexcept {
  const NarrowColumn& column = columns_[static_cast<std::size_t>(stream)];
  column.values.prefetch(stored.first_value, stored.value_count);
  if (column.sample_size == 0) column.indices.prefetch(stored.first_value, stored.value_count);
}

void HeldChunk::widen(std::int64_t stream, const StoredSequence& stored, std::byte* values,
                      std::byte* indices, std::int64_t* sample_ends,
                      std::int64_t begin) const noexcept {
  const NarrowColumn& column = columns_[static_cast<std::size_t>(stream)];
  column.values.widen(stored.first_value, stored.value_count, values);
  if (column.sample_size > 0) return;
  column.indices.widen(stored.first_value, stored.value_count, indices);
  column.sample_offsets.write(stored.first_sample + 1, stored.sample_count,
                              begin - stored.first_value, sample_ends);
}

std::int64_t HeldChunk::NarrowColumn::memory_bytes() const noexcept {
  return values.memory_bytes() + indices.memory_bytes() + sample_offsets.memory_bytes() +
         sequence_offsets.memory_bytes() + presence.capacity_bytes();
}

std::int64_t HeldChunk::held_bytes() const noexcept {
  std::int64_t bytes = internal::held_bytes(rows_);
  for (const NarrowColumn& column : columns_) bytes += column.memory_bytes();
  return bytes;
}

std::int64_t HeldChunk::held_bytes(std::int64_t sequence_count) const noexcept {
  if (sequence_count == 0) return 0;
  const auto share =
      static_cast<double>(sequence_count) / static_cast<double>(rows_.sequence_count());
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(held_bytes())));
}

}  // namespace sheaf::internal
