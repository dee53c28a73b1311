#include "sheaf/extend/packer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "packer/gather.h"
#include "packer/variable_rows.h"

// Memory access limits the speed of a packer: every byte of the result is written once, and every
// byte except padding is read once. So a packer first counts the sizes in one pass over the views
// (64 bytes for each sequence and stream). Then it allocates each array once, at its exact size and
// uninitialised, and fills it from front to back in the longest possible runs. No memory is zeroed
// before it is written.

namespace sheaf {

std::unique_ptr<Packer> make_packer(Layout layout) {
  switch (layout) {
    case Layout::padded:
      return padded_packer();
    case Layout::ragged:
      return ragged_packer();
    case Layout::packed:
      return packed_packer();
    case Layout::frames:
      return frames_packer();
    case Layout::truncated:
      throw ConfigError("packing: `truncated` needs a truncation_length in the order");
  }
  throw ConfigError("packing must be padded, ragged, packed, frames or truncated");
}

std::int64_t Packer::row_count(std::span<const std::int64_t> sample_counts) const {
  const auto longest = std::ranges::max_element(sample_counts);
  return longest == sample_counts.end()
             ? 0
             : internal::most_product(std::ssize(sample_counts), *longest);
}

std::int64_t Packer::stream_row_count(const Stream& stream,
                                      std::span<const std::int64_t> sample_counts) const {
  static_cast<void>(stream);
  return row_count(sample_counts);
}

namespace internal {
namespace {

template <std::size_t kSize>
void copy_each(std::span<const SequenceView> views, const std::byte* SequenceView::*array,
               std::byte* out) noexcept {
  for (const SequenceView& view : views) {
    std::memcpy(out, view.*array, kSize);
    out += kSize;
  }
}

/// Returns the number of bytes of each sequence if all sequences have the same number. Otherwise
/// returns 0, for which copy_few_bytes_each() copies nothing.
std::int64_t size_of_each(std::span<const SequenceView> views, const Sizes& sizes,
                          std::int64_t value_size) noexcept {
  return sizes.has_equal_values && !views.empty() ? views.front().value_count * value_size : 0;
}

}  // namespace

std::int64_t most_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  assert(a >= 0 && b >= 0);
  if (a != 0 && b > std::numeric_limits<std::int64_t>::max() / a) {
    throw std::bad_array_new_length();
  }
  return a * b;
}

Buffer allocate(std::int64_t count, std::int64_t value_size, std::pmr::memory_resource& memory) {
  Buffer buffer(memory);
  buffer.resize(product(count, value_size));
  return buffer;
}

Sizes measure(std::span<const SequenceView> views) noexcept {
  Sizes sizes;
  for (const SequenceView& view : views) {
    assert(view.is_present || view.sample_count == 0);
    sizes.sample_count += view.sample_count;
    sizes.sample_count_max = std::max(sizes.sample_count_max, view.sample_count);
    sizes.value_count += view.value_count;
    sizes.is_absent_somewhere |= !view.is_present;
    sizes.has_equal_values &= view.value_count == views.front().value_count;
    sizes.has_strides |= view.sample_stride != 0;
  }
  return sizes;
}

StreamBatch begin_batch(Layout layout, const Stream& stream, std::span<const SequenceView> views,
                        const Sizes& sizes, std::pmr::memory_resource& memory) {
  StreamBatch batch;
  batch.layout = layout;
  batch.sequence_count = std::ssize(views);
  batch.sample_count = sizes.sample_count;
  batch.sample_count_max = sizes.sample_count_max;
  batch.row_shape = layout == Layout::ragged ? stream.sample_shape : row_shape_of(stream, views);
  batch.lengths = allocate(batch.sequence_count, sizeof(std::int64_t), memory);
  std::int64_t* length = batch.lengths.as_mutable<std::int64_t>().data();
  for (const SequenceView& view : views) *length++ = view.sample_count;
  if (sizes.is_absent_somewhere) {
    batch.presence = allocate(batch.sequence_count, sizeof(std::uint8_t), memory);
    std::uint8_t* presence = batch.presence.as_mutable<std::uint8_t>().data();
    for (const SequenceView& view : views) *presence++ = view.is_present ? 1 : 0;
  }
  return batch;
}

std::int64_t sample_size_bytes(const Stream& stream) noexcept {
  return stream.sample_shape.size() * element_size(stream.element_type);
}

void RunCopier::append_padding(const PadFill& fill, std::int64_t size_bytes) noexcept {
  if (size_bytes == 0) return;
  flush();
  fill.fill(out_, size_bytes);
  out_ += size_bytes;
}

void append_samples(const SequenceView& view, std::int64_t sample_size_bytes,
                    RunCopier& copier) noexcept {
  if (view.sample_stride == 0) {
    copier.append(view.values, view.sample_count * sample_size_bytes);
    return;
  }
  for (std::int64_t t = 0; t < view.sample_count; ++t) {
    copier.append(view.values + t * view.sample_stride, sample_size_bytes);
  }
}

// Copying adjacent views as one run is cheaper than copying each view, but detecting runs costs
// more than copying one or two values.
bool copy_few_bytes_each(std::span<const SequenceView> views, const std::byte* SequenceView::*array,
                         std::int64_t size_bytes, std::byte* out) noexcept {
  switch (size_bytes) {
    case 1:
      copy_each<1>(views, array, out);
      return true;
    case 2:
      copy_each<2>(views, array, out);
      return true;
    case 4:
      copy_each<4>(views, array, out);
      return true;
    case 8:
      copy_each<8>(views, array, out);
      return true;
    case 16:
      copy_each<16>(views, array, out);
      return true;
    default:
      return false;
  }
}

Buffer gather_values(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                     const StreamMemory& memory) {
  const std::int64_t value_size = element_size(stream.element_type);
  if (memory.offered.values != nullptr) {
    assert(memory.offered.values->size_bytes() == sizes.value_count * value_size);
    return std::move(*memory.offered.values);
  }
  Buffer values = allocate(sizes.value_count, value_size, memory);
  if (sizes.has_strides) {
    RunCopier copier(values.mutable_data());
    for (const SequenceView& view : views) append_samples(view, sample_size_bytes(stream), copier);
    return values;
  }
  const std::int64_t each = size_of_each(views, sizes, value_size);
  if (copy_few_bytes_each(views, &SequenceView::values, each, values.mutable_data())) return values;
  RunCopier copier(values.mutable_data());
  for (const SequenceView& view : views) copier.append(view.values, view.value_count * value_size);
  return values;
}

Buffer gather_indices(const Stream& stream, std::span<const SequenceView> views, const Sizes& sizes,
                      const StreamMemory& memory) {
  const std::int64_t index_size = element_size(stream.index_type);
  if (memory.offered.indices != nullptr) {
    assert(memory.offered.indices->size_bytes() == sizes.value_count * index_size);
    return std::move(*memory.offered.indices);
  }
  Buffer indices = allocate(sizes.value_count, index_size, memory);
  const std::int64_t each = size_of_each(views, sizes, index_size);
  if (copy_few_bytes_each(views, &SequenceView::indices, each, indices.mutable_data())) {
    return indices;
  }
  RunCopier copier(indices.mutable_data());
  for (const SequenceView& view : views) copier.append(view.indices, view.value_count * index_size);
  return indices;
}

void write_sample_ends(const SequenceView& view, std::int64_t begin, std::int64_t* out) noexcept {
  if (view.sample_count == 0) return;
  const std::int64_t* offsets = view.sample_offsets;
  assert(offsets[view.sample_count] - offsets[0] == view.value_count);
  const std::int64_t shift = begin - offsets[0];
  for (std::int64_t i = 0; i < view.sample_count; ++i) out[i] = offsets[i + 1] + shift;
}

void write_even_row_offsets(std::int64_t row_count, std::int64_t value_count,
                            std::int64_t* out) noexcept {
  for (std::int64_t i = 0; i <= row_count; ++i) out[i] = i * value_count;
}

Buffer gather_row_offsets(std::span<const SequenceView> views, const Sizes& sizes,
                          std::pmr::memory_resource& memory) {
  Buffer row_offsets = allocate(sizes.sample_count + 1, sizeof(std::int64_t), memory);
  std::int64_t* out = row_offsets.as_mutable<std::int64_t>().data();
  if (sizes.has_equal_values && sizes.has_one_each(std::ssize(views))) {
    write_even_row_offsets(std::ssize(views), views.front().value_count, out);
    return row_offsets;
  }
  std::int64_t value_count = 0;
  *out++ = 0;
  for (const SequenceView& view : views) {
    write_sample_ends(view, value_count, out);
    value_count += view.value_count;
    out += view.sample_count;
  }
  return row_offsets;
}

void check_row_length(const SequenceList& sequences, std::int64_t row_length,
                      std::string_view option, FixedLengthStreams which) {
  for (std::int64_t s = 0; s < std::ssize(*sequences.streams()); ++s) {
    const Stream& stream = (*sequences.streams())[static_cast<std::size_t>(s)];
    if (which == FixedLengthStreams::apart && stream.keeps_together) continue;
    const std::span<const SequenceView> views = sequences.views(s);
    const auto too_long = std::ranges::find_if(
        views, [&](const SequenceView& view) { return view.sample_count > row_length; });
    if (too_long == views.end()) continue;
    throw ConfigError(formatted(
        "packing: sequence {0} has {1} samples in stream \"{2}\", more than the {3} of {4}: make "
        "{4} as large as the longest sequence, say with `long` what becomes of longer ones, or "
        "pack "
        "without {4}",
        key_of(sequences, too_long - views.begin()), too_long->sample_count, stream.name,
        row_length, option));
  }
}

std::string key_of(const SequenceList& sequences, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return sequences.key_texts().empty() ? to_string(sequences.keys()[at])
                                       : quoted(sequences.key_texts()[at]);
}

void check_shapes(Layout layout, std::span<const Stream> streams) {
  for (const Stream& stream : streams) {
    if (stream.storage == Storage::dense || stream.sample_shape.is_fixed()) continue;
    throw ConfigError(
        formatted("packing: stream \"{}\" is sparse and has samples of variable shape {}: `{}` "
                  "takes sparse streams of fixed shape only, `ragged` takes it",
                  stream.name, to_string(stream.sample_shape), to_string(layout)));
  }
}

}  // namespace internal
}  // namespace sheaf
