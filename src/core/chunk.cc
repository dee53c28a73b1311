#include "sheaf/extend/chunk.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <utility>

#include "sheaf/error.h"

#include "base/prefetch.h"
#include "base/text.h"
#include "core/view_part.h"

namespace sheaf {
namespace {

/// Checks the size of one array of a column.
///
/// Throws: InternalError that names the stream and the array.
void check_size(const Stream& stream, const char* what, std::int64_t size_bytes,
                std::int64_t expected_bytes) {
  if (size_bytes != expected_bytes) {
    throw InternalError(formatted("chunk: {} of stream \"{}\" has {} bytes, {} are needed", what,
                                  stream.name, size_bytes, expected_bytes));
  }
}

std::int64_t last(const Buffer& offsets) {
  return offsets.empty() ? 0 : offsets.as<std::int64_t>().back();
}

/// The offset of each sequence's first value in a column, in values from the first value of the
/// column.
class ValueOffsets {
 public:
  /// Pre: the offsets of `column` have the right sizes.
  ValueOffsets(const Column& column, std::int64_t sample_size) noexcept
      : sequence_offsets_(column.sequence_offsets.as<std::int64_t>()),
        sample_offsets_(column.sample_offsets.as<std::int64_t>()),
        sample_size_(sample_size) {}

  [[nodiscard]] std::int64_t operator[](std::int64_t sequence) const noexcept {
    const std::int64_t sample = sequence_offsets_.empty()
                                    ? sequence
                                    : sequence_offsets_[static_cast<std::size_t>(sequence)];
    return sample_size_ > 0 ? sample * sample_size_
                            : sample_offsets_[static_cast<std::size_t>(sample)];
  }

 private:
  std::span<const std::int64_t> sequence_offsets_;
  std::span<const std::int64_t> sample_offsets_;
  std::int64_t sample_size_;
};

/// Checks that the values of all sequences, which begin at `byte_offsets`, lie within `bytes`.
void check_byte_offsets(const Stream& stream, const char* what, const Buffer& byte_offsets,
                        const Buffer& bytes, const ValueOffsets& offsets, std::int64_t value_size,
                        std::int64_t sequence_count) {
  check_size(stream, what, byte_offsets.size_bytes(),
             sequence_count * static_cast<std::int64_t>(sizeof(std::int64_t)));
  const std::int64_t* begins = byte_offsets.as<std::int64_t>().data();
  bool is_within = true;
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < sequence_count; ++i) {
    const std::int64_t next = offsets[i + 1];
    is_within &= begins[i] >= 0 && (next - offset) * value_size <= bytes.size_bytes() - begins[i];
    offset = next;
  }
  if (!is_within) {
    throw InternalError(formatted("chunk: {} of stream \"{}\" lead out of its {} bytes", what,
                                  stream.name, bytes.size_bytes()));
  }
}

const std::int64_t* offsets_of(const Buffer& offsets) noexcept {
  return offsets.empty() ? nullptr : offsets.as<std::int64_t>().data();
}

/// Writes the view of a sequence of a plain column: one without value_byte_offsets,
/// index_byte_offsets, presence and extents.
template <typename Layout>
void write_plain_view(const Layout& layout, std::int64_t sequence, SequenceView& view) noexcept {
  std::int64_t sample = sequence;
  std::int64_t count = 1;
  if (layout.sequence_offsets != nullptr) {
    sample = layout.sequence_offsets[sequence];
    count = layout.sequence_offsets[sequence + 1] - sample;
  }
  view.sample_count = count;
  if (layout.sample_size > 0) {
    view.values = layout.values + sample * layout.sample_size * layout.element_size;
    view.value_count = count * layout.sample_size;
    return;
  }
  const std::int64_t* const offsets = layout.sample_offsets + sample;
  const std::int64_t value = offsets[0];
  view.values = layout.values + value * layout.element_size;
  if (layout.index_size > 0) view.indices = layout.indices + value * layout.index_size;
  view.sample_offsets = offsets;
  view.value_count = offsets[count] - value;
}

/// The same for consecutive sequences, where the end of one sequence is the beginning of the next.
template <typename Layout>
void write_plain_views(const Layout& layout, std::int64_t first, std::int64_t count,
                       SequenceView* out) noexcept {
  const std::int64_t* const sequences = layout.sequence_offsets;
  const std::int64_t* const samples = layout.sample_offsets;
  const auto sample_at = [&](std::int64_t i) { return sequences != nullptr ? sequences[i] : i; };
  const auto value_at = [&](std::int64_t sample) {
    return layout.sample_size > 0 ? sample * layout.sample_size : samples[sample];
  };
  std::int64_t sample = sample_at(first);
  std::int64_t value = value_at(sample);
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t next_sample = sample_at(i + 1);
    const std::int64_t next_value = value_at(next_sample);
    SequenceView& view = *out++;
    view.values = layout.values + value * layout.element_size;
    if (layout.index_size > 0) view.indices = layout.indices + value * layout.index_size;
    if (layout.sample_size == 0) view.sample_offsets = samples + sample;
    view.sample_count = next_sample - sample;
    view.value_count = next_value - value;
    sample = next_sample;
    value = next_value;
  }
}

}  // namespace

std::int64_t Column::memory_bytes() const noexcept {
  return values.capacity_bytes() + indices.capacity_bytes() + sample_offsets.capacity_bytes() +
         extents.capacity_bytes() + sequence_offsets.capacity_bytes() + presence.capacity_bytes() +
         value_byte_offsets.capacity_bytes() + index_byte_offsets.capacity_bytes();
}

Chunk::Chunk(std::span<const Stream> streams, std::int64_t sequence_count,
             std::vector<Column> columns, std::vector<std::int64_t> holes)
    : sequence_count_(sequence_count), columns_(std::move(columns)), holes_(std::move(holes)) {
  if (columns_.size() != streams.size()) {
    throw InternalError(
        formatted("chunk: {} columns for {} streams", columns_.size(), streams.size()));
  }
  layouts_.reserve(streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Stream& stream = streams[i];
    const Column& column = columns_[i];
    has_sequence_numbers_ |= !column.sequence_offsets.empty() ||
                             !column.value_byte_offsets.empty() ||
                             !column.index_byte_offsets.empty();
    has_sample_offsets_ |= !column.sample_offsets.empty();
    const bool is_sparse = stream.storage == Storage::sparse;
    const bool has_offsets = is_sparse || !stream.sample_shape.is_fixed();
    const Layout layout = {
        .element_size = element_size(stream.element_type),
        .index_size = is_sparse ? element_size(stream.index_type) : 0,
        .sample_size = has_offsets ? 0 : stream.sample_shape.size(),
        .rank = stream.sample_shape.is_fixed() ? 0 : stream.sample_shape.rank(),
        .is_plain = column.value_byte_offsets.empty() && column.index_byte_offsets.empty() &&
                    column.presence.empty() && stream.sample_shape.is_fixed(),
        .values = nullptr,
        .indices = nullptr,
        .sequence_offsets = nullptr,
        .sample_offsets = nullptr,
        .value_byte_offsets = nullptr,
        .index_byte_offsets = nullptr,
    };
    layouts_.push_back(layout);
    bind(i);
    check_sizes(stream, i);
  }
}

// Checks that the arrays of a column fit each other.
//
// Throws: InternalError that names the array.
void Chunk::check_sizes(const Stream& stream, std::size_t number) const {
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  const Column& column = columns_[number];
  const Layout& layout = layouts_[number];
  if (!column.sequence_offsets.empty()) {
    check_size(stream, "sequence_offsets", column.sequence_offsets.size_bytes(),
               (sequence_count_ + 1) * kOffsetSize);
  }
  const std::int64_t sample_count =
      column.sequence_offsets.empty() ? sequence_count_ : last(column.sequence_offsets);
  const bool has_offsets = stream.storage == Storage::sparse || !stream.sample_shape.is_fixed();
  if (has_offsets) {
    check_size(stream, "sample_offsets", column.sample_offsets.size_bytes(),
               (sample_count + 1) * kOffsetSize);
  }
  const std::int64_t value_count =
      has_offsets ? last(column.sample_offsets) : sample_count * layout.sample_size;
  const ValueOffsets offsets(column, layout.sample_size);
  if (column.value_byte_offsets.empty()) {
    check_size(stream, "values", column.values.size_bytes(), value_count * layout.element_size);
  } else {
    check_byte_offsets(stream, "value_byte_offsets", column.value_byte_offsets, column.values,
                       offsets, layout.element_size, sequence_count_);
  }
  if (column.index_byte_offsets.empty()) {
    check_size(stream, "indices", column.indices.size_bytes(), value_count * layout.index_size);
  } else {
    check_byte_offsets(stream, "index_byte_offsets", column.index_byte_offsets, column.indices,
                       offsets, layout.index_size, sequence_count_);
  }
  check_size(stream, "extents", column.extents.size_bytes(),
             sample_count * layout.rank * kOffsetSize);
  if (!column.presence.empty()) {
    check_size(stream, "presence", column.presence.size_bytes(), sequence_count_);
  }
}

SequenceView Chunk::view(std::int64_t stream, std::int64_t sequence) const noexcept {
  assert(0 <= stream && stream < stream_count());
  assert(0 <= sequence && sequence < sequence_count_);
  const Column& column = columns_[static_cast<std::size_t>(stream)];
  const Layout& layout = layouts_[static_cast<std::size_t>(stream)];

  std::int64_t first = sequence;
  std::int64_t count = 1;
  if (layout.sequence_offsets != nullptr) {
    const std::int64_t* offsets = layout.sequence_offsets + sequence;
    first = offsets[0];
    count = offsets[1] - offsets[0];
  }

  SequenceView view;
  view.sample_count = count;
  std::int64_t first_value = first * layout.sample_size;
  if (layout.sample_size > 0) {
    view.value_count = count * layout.sample_size;
  } else {
    view.sample_offsets = layout.sample_offsets + first;
    first_value = view.sample_offsets[0];
    view.value_count = view.sample_offsets[count] - first_value;
  }
  const auto offset_in = [&](const std::int64_t* byte_offsets, std::int64_t size) {
    return byte_offsets == nullptr ? first_value * size : byte_offsets[sequence];
  };
  view.values = layout.values + offset_in(layout.value_byte_offsets, layout.element_size);
  if (layout.index_size > 0) {
    view.indices = layout.indices + offset_in(layout.index_byte_offsets, layout.index_size);
  }
  if (layout.rank > 0) {
    view.extents = column.extents.as<std::int64_t>().data() + first * layout.rank;
  }
  if (!column.presence.empty()) {
    view.is_present = column.presence.data()[sequence] != std::byte{0};
  }
  return view;
}

// Most columns are plain, and then all branches are taken once for all sequences.
void Chunk::append_views(std::int64_t stream, std::int64_t first, std::int64_t count,
                         std::vector<SequenceView>& views) const {
  const std::size_t before = views.size();
  views.resize(before + static_cast<std::size_t>(count));
  write_views(stream, first, count, views.data() + before);
}

void Chunk::write_views(std::int64_t stream, std::int64_t first, std::int64_t count,
                        SequenceView* out) const noexcept {
  assert(0 <= stream && stream < stream_count());
  assert(0 <= first && first + count <= sequence_count_);
  const Layout& layout = layouts_[static_cast<std::size_t>(stream)];
  if (layout.is_plain && count == 1) {  // the usual case in a random order
    write_plain_view(layout, first, *out);
  } else if (layout.is_plain) {
    write_plain_views(layout, first, count, out);
  } else {
    for (std::int64_t i = first; i < first + count; ++i) *out++ = view(stream, i);
  }
}

void Chunk::prefetch_offsets(std::int64_t sequence, bool samples) const noexcept {
  for (const Layout& layout : layouts_) {
    const auto* const offsets =
        layout.sequence_offsets != nullptr ? layout.sequence_offsets + sequence : nullptr;
    if (!samples) {
      if (offsets != nullptr) internal::prefetch(offsets, 2 * sizeof(*offsets));
      for (const std::int64_t* const byte_offsets :
           {layout.value_byte_offsets, layout.index_byte_offsets}) {
        if (byte_offsets != nullptr)
          internal::prefetch(byte_offsets + sequence, sizeof(*byte_offsets));
      }
    }
    if (!samples || layout.sample_offsets == nullptr) continue;
    const std::int64_t first = offsets != nullptr ? offsets[0] : sequence;
    const std::int64_t count = offsets != nullptr ? offsets[1] - first : 1;
    const auto* const values = layout.sample_offsets + first;
    internal::prefetch(values, (count + 1) * std::int64_t{sizeof(*values)});
  }
}

void Chunk::move_arrays(std::pmr::memory_resource& memory, std::int64_t size_max_bytes) {
  const auto move = [&](Buffer& buffer) {
    if (buffer.capacity_bytes() == 0 || buffer.capacity_bytes() >= size_max_bytes) return;
    Buffer moved(memory);
    moved.reserve(buffer.size_bytes());
    moved.resize(buffer.size_bytes());
    std::memcpy(moved.mutable_data(), buffer.data(), static_cast<std::size_t>(buffer.size_bytes()));
    buffer = std::move(moved);
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    for (Buffer* const buffer : {&column.values, &column.indices, &column.sample_offsets,
                                 &column.extents, &column.sequence_offsets, &column.presence,
                                 &column.value_byte_offsets, &column.index_byte_offsets}) {
      move(*buffer);
      bind(i);
    }
  }
}

// Stores the addresses of the arrays of a column.
void Chunk::bind(std::size_t column) noexcept {
  const Column& arrays = columns_[column];
  Layout& layout = layouts_[column];
  layout.values = arrays.values.data();
  layout.indices = arrays.indices.data();
  layout.sequence_offsets = offsets_of(arrays.sequence_offsets);
  layout.sample_offsets = offsets_of(arrays.sample_offsets);
  layout.value_byte_offsets = offsets_of(arrays.value_byte_offsets);
  layout.index_byte_offsets = offsets_of(arrays.index_byte_offsets);
}

bool Chunk::is_hole(std::int64_t sequence) const noexcept {
  return !holes_.empty() && std::ranges::binary_search(holes_, sequence);
}

void Chunk::set_key_texts(std::vector<std::string> texts) {
  if (std::ssize(texts) != sequence_count_) {
    throw InternalError(
        formatted("chunk: {} key texts for {} sequences", texts.size(), sequence_count_));
  }
  key_texts_ = std::move(texts);
}

void Chunk::set_described_counts(std::vector<std::int64_t> counts) {
  if (std::ssize(counts) != sequence_count_) {
    throw InternalError(
        formatted("chunk: {} described counts for {} sequences", counts.size(), sequence_count_));
  }
  described_counts_ = std::move(counts);
}

std::int64_t Chunk::memory_bytes() const noexcept {
  auto sum = static_cast<std::int64_t>(described_counts_.capacity() * sizeof(std::int64_t));
  for (const Column& column : columns_) sum += column.memory_bytes();
  for (const std::string& text : key_texts_) {
    sum += static_cast<std::int64_t>(sizeof(std::string) + text.capacity());
  }
  return sum;
}

SequenceView part_of_view(const SequenceView& view, const Stream& stream,
                          const SampleRange& range) noexcept {
  return internal::part_of_view(view, internal::SampleSizes(stream), range);
}

}  // namespace sheaf
