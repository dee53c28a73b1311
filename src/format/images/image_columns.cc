// Images are usually contiguous and then need no explicit offsets. Views of an image share its
// bytes.

#include "format/images/image_columns.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kNumber = sizeof(std::int64_t);

Buffer numbers(std::int64_t count) { return buffer_of_size(count * kNumber); }

// Returns nothing if every sequence has its sample.
Buffer sequence_offsets(const std::vector<ImageSequence>& sequences) {
  if (std::ranges::none_of(sequences, &ImageSequence::is_hole)) return {};
  Buffer buffer = numbers(std::ssize(sequences) + 1);
  std::int64_t* next = buffer.as_mutable<std::int64_t>().data();
  std::int64_t sample = 0;
  for (const ImageSequence& each : sequences) {
    *next++ = sample;
    if (!each.is_hole) ++sample;
  }
  *next = sample;
  return buffer;
}

std::int64_t sample_count(const std::vector<ImageSequence>& sequences) {
  return std::ssize(sequences) - std::ranges::count(sequences, true, &ImageSequence::is_hole);
}

bool are_back_to_back(const std::vector<ImageSequence>& sequences, std::int64_t size_bytes) {
  std::int64_t end = 0;
  for (const ImageSequence& each : sequences) {
    if (each.is_hole) continue;
    if (each.location != end) return false;
    end += each.size_bytes;
  }
  return end == size_bytes;
}

Column bytes_column(const std::vector<ImageSequence>& sequences, Buffer images) {
  Column column;
  const std::int64_t samples = sample_count(sequences);
  column.sample_offsets = numbers(samples + 1);
  column.extents = numbers(samples);
  std::int64_t* offset = column.sample_offsets.as_mutable<std::int64_t>().data();
  std::int64_t* extent = column.extents.as_mutable<std::int64_t>().data();
  std::int64_t value = 0;
  for (const ImageSequence& each : sequences) {
    if (each.is_hole) continue;
    *offset++ = value;
    *extent++ = each.size_bytes;
    value += each.size_bytes;
  }
  *offset = value;
  if (!are_back_to_back(sequences, images.size_bytes())) {
    column.value_byte_offsets = numbers(std::ssize(sequences));
    std::int64_t* location = column.value_byte_offsets.as_mutable<std::int64_t>().data();
    for (const ImageSequence& each : sequences) *location++ = each.is_hole ? 0 : each.location;
  }
  column.values = std::move(images);
  return column;
}

Column frames_column(const std::vector<ImageSequence>& sequences,
                     std::span<const std::int64_t> frame_sizes, Buffer images) {
  Column column;
  column.sequence_offsets = numbers(std::ssize(sequences) + 1);
  std::int64_t* next = column.sequence_offsets.as_mutable<std::int64_t>().data();
  std::int64_t sample = 0;
  for (const ImageSequence& each : sequences) {
    *next++ = sample;
    if (!each.is_hole) sample += each.frame_count;
  }
  *next = sample;
  column.sample_offsets = numbers(sample + 1);
  column.extents = numbers(sample);
  std::ranges::copy(frame_sizes, column.extents.as_mutable<std::int64_t>().data());
  std::int64_t* offset = column.sample_offsets.as_mutable<std::int64_t>().data();
  *offset = 0;
  std::inclusive_scan(frame_sizes.begin(), frame_sizes.end(), offset + 1);
  column.values = std::move(images);
  return column;
}

/// Appends a value for each sequence that is not a hole.
template <typename T, typename Value>
Buffer values_of(const std::vector<ImageSequence>& sequences, const Value& value) {
  Buffer buffer = buffer_of_size(sample_count(sequences) * std::int64_t{sizeof(T)});
  T* next = buffer.as_mutable<T>().data();
  for (const ImageSequence& each : sequences) {
    if (!each.is_hole) *next++ = static_cast<T>(value(each));
  }
  return buffer;
}

Column label_column(const Stream& stream, const std::vector<ImageSequence>& sequences) {
  const auto id = [](const ImageSequence& each) { return each.class_id; };
  const auto one = [](const ImageSequence&) { return 1; };
  Column column;
  if (stream.storage == Storage::dense) {
    column.values = stream.element_type == ElementType::i64
                        ? values_of<std::int64_t>(sequences, id)
                        : values_of<std::int32_t>(sequences, id);
    return column;
  }
  column.indices = stream.index_type == ElementType::i64 ? values_of<std::int64_t>(sequences, id)
                                                         : values_of<std::int32_t>(sequences, id);
  column.values = stream.element_type == ElementType::f64 ? values_of<double>(sequences, one)
                                                          : values_of<float>(sequences, one);
  const std::int64_t samples = sample_count(sequences);
  column.sample_offsets = numbers(samples + 1);
  std::int64_t* const offsets = column.sample_offsets.as_mutable<std::int64_t>().data();
  for (std::int64_t i = 0; i <= samples; ++i) offsets[i] = i;
  return column;
}

}  // namespace

Buffer buffer_of_size(std::int64_t size_bytes) {
  Buffer buffer;
  buffer.reserve(size_bytes);
  buffer.resize(size_bytes);
  return buffer;
}

std::vector<Column> image_columns(const ImageStreams& streams,
                                  const std::vector<ImageSequence>& sequences, Buffer images,
                                  std::span<const std::int64_t> frame_sizes) {
  std::vector<Column> columns(streams.streams.size());
  if (streams.label) {
    columns[*streams.label] = label_column(streams.streams[*streams.label], sequences);
  }
  if (streams.view) {
    columns[*streams.view].values =
        values_of<std::int32_t>(sequences, [](const ImageSequence& each) { return each.view; });
  }
  for (Column& each : columns) each.sequence_offsets = sequence_offsets(sequences);
  if (!streams.image) return columns;
  Column& column = columns[*streams.image];
  if (std::ranges::any_of(sequences, [](const auto& each) { return each.frame_count != 1; })) {
    column = frames_column(sequences, frame_sizes, std::move(images));
  } else {
    column = bytes_column(sequences, std::move(images));
    column.sequence_offsets = sequence_offsets(sequences);
  }
  return columns;
}

std::vector<std::int64_t> holes_of(const std::vector<ImageSequence>& sequences) {
  std::vector<std::int64_t> holes;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (sequences[i].is_hole) holes.push_back(static_cast<std::int64_t>(i));
  }
  return holes;
}

std::int64_t image_blocks_bytes(const ImageStreams& streams) noexcept {
  constexpr std::int64_t kStreamBytes = 320;
  return kStreamBytes * std::ssize(streams.streams);
}

// Arrays with one entry more than sequences count twice.
std::int64_t image_overhead_bytes(const ImageStreams& streams) noexcept {
  std::int64_t size = 0;
  if (streams.image) size += 6 * kNumber;  // sample and sequence offsets, extent, place
  if (streams.label) size += 6 * kNumber;  // value, index, sample and sequence offsets
  if (streams.view) size += 3 * kNumber;
  return size;
}

std::int64_t frame_overhead_bytes(const ImageStreams& streams) noexcept {
  return streams.image ? 2 * kNumber : 0;  // sample offset, extent
}

}  // namespace sheaf::internal
