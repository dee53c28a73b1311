#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "base/saturated.h"
#include "base/text.h"
#include "packer/gather.h"
#include "packer/padding.h"
#include "packer/variable_rows.h"

// Sequences as rows of a rectangle [N, T], each with its samples first and padding after them; or,
// padded on the left, the other way round.
//
// Limit: the bytes of N x T samples, written once; those of S samples, read once. A stream whose
// sequences are equally long has no padding, and comes down to one memcpy for each run of
// neighbours. Sparse and opaque streams have no values in their padding: V values and V indices are
// moved, and N x T row offsets written. Of variable streams, each sample is copied by itself.

namespace sheaf {
namespace {

using internal::PadFill;
using internal::RunCopier;
using internal::Sizes;

Buffer padded_mask(std::span<const SequenceView> views, const StreamBatch& batch,
                   std::pmr::memory_resource& memory) {
  const std::int64_t row_count = internal::product(std::ssize(views), batch.sample_count_max);
  Buffer mask = internal::allocate(row_count, sizeof(std::uint8_t), memory);
  if (row_count == 0) return mask;
  std::uint8_t* out = mask.as_mutable<std::uint8_t>().data();
  if (batch.sample_count == row_count) {  // no padding
    std::memset(out, 1, static_cast<std::size_t>(row_count));
    return mask;
  }
  for (const SequenceView& view : views) {
    std::uint8_t* const end = out + batch.sample_count_max;
    if (batch.pad_side == PadSide::left) {
      std::fill_n(std::fill_n(out, batch.sample_count_max - view.sample_count, std::uint8_t{0}),
                  view.sample_count, std::uint8_t{1});
    } else {
      std::fill(std::fill_n(out, view.sample_count, std::uint8_t{1}), end, std::uint8_t{0});
    }
    out = end;
  }
  return mask;
}

Buffer padded_values(const Stream& stream, std::span<const SequenceView> views,
                     const StreamBatch& batch, const Sizes& sizes, const PadFill& fill,
                     std::pmr::memory_resource& memory) {
  const std::int64_t sample_size = internal::sample_size_bytes(stream);
  const std::int64_t row_count = internal::product(std::ssize(views), batch.sample_count_max);
  Buffer values = internal::allocate(row_count, sample_size, memory);
  // No padding. Without rows, T samples may have more bytes than can be counted.
  const bool is_full = row_count > 0 && batch.sample_count == row_count;
  if (is_full && !sizes.has_strides &&
      internal::copy_few_bytes_each(views, &SequenceView::values,
                                    batch.sample_count_max * sample_size, values.mutable_data())) {
    return values;
  }
  const bool is_left = batch.pad_side == PadSide::left;
  RunCopier copier(values.mutable_data());
  for (const SequenceView& view : views) {
    const std::int64_t padding_size = (batch.sample_count_max - view.sample_count) * sample_size;
    if (is_left) copier.append_padding(fill, padding_size);
    internal::append_samples(view, sample_size, copier);
    if (!is_left) copier.append_padding(fill, padding_size);
  }
  return values;
}

/// Samples of variable shape, each in the corner of a row that all of them fit in.
Buffer padded_variable_values(const Stream& stream, std::span<const SequenceView> views,
                              const StreamBatch& batch, const PadFill& fill,
                              std::pmr::memory_resource& memory) {
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t rank = batch.row_shape.rank();
  const std::int64_t row_size = internal::product(batch.row_shape.size(), value_size);
  const std::int64_t row_count = internal::product(std::ssize(views), batch.sample_count_max);
  Buffer values = internal::allocate(row_count, row_size, memory);
  if (values.empty()) return values;
  const bool is_left = batch.pad_side == PadSide::left;
  std::byte* row = values.mutable_data();
  for (const SequenceView& view : views) {
    const std::int64_t padding_size = (batch.sample_count_max - view.sample_count) * row_size;
    std::byte* const end = row + batch.sample_count_max * row_size;
    if (is_left) {
      fill.fill(row, padding_size);
      row += padding_size;
    }
    for (std::int64_t t = 0; t < view.sample_count; ++t, row += row_size) {
      const std::int64_t first = view.sample_offsets[t] - view.sample_offsets[0];
      internal::copy_to_corner(view.values + first * value_size,
                               {view.extents + t * rank, static_cast<std::size_t>(rank)},
                               value_size, batch.row_shape.extents(), fill, row);
    }
    if (!is_left) fill.fill(row, padding_size);
    row = end;
  }
  return values;
}

/// CSR over N x T rows; a padding row ends where it begins.
Buffer padded_row_offsets(std::span<const SequenceView> views, const StreamBatch& batch,
                          const Sizes& sizes, std::pmr::memory_resource& memory) {
  const std::int64_t sample_count_max = batch.sample_count_max;
  const std::int64_t row_count = internal::product(std::ssize(views), sample_count_max);
  Buffer row_offsets = internal::allocate(row_count + 1, sizeof(std::int64_t), memory);
  const bool is_left = batch.pad_side == PadSide::left;
  std::int64_t* out = row_offsets.as_mutable<std::int64_t>().data();
  if (sizes.has_equal_values && sizes.has_one_each(row_count)) {
    internal::write_even_row_offsets(row_count, views.front().value_count, out);
    return row_offsets;
  }
  *out++ = 0;
  std::int64_t value_count = 0;
  for (const SequenceView& view : views) {
    std::int64_t* const end = out + sample_count_max;
    if (is_left) out = std::fill_n(out, sample_count_max - view.sample_count, value_count);
    internal::write_sample_ends(view, value_count, out);
    value_count += view.value_count;
    std::fill(out + view.sample_count, end, value_count);
    out = end;
  }
  return row_offsets;
}

class PaddedPacker final : public Packer {
 public:
  explicit PaddedPacker(const Padding& padding)
      : padding_(padding),
        name_(std::string(to_string(Layout::padded)) + internal::padding_name(padding)) {
    internal::check_padding(Layout::padded, padding);
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] bool pads_shapes() const noexcept override { return true; }

  void check(std::span<const Stream> streams) const override {
    internal::check_shapes(Layout::padded, streams);
    internal::check_pad_values(padding_, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    if (padding_.pad_length) {
      internal::check_row_length(sequences, *padding_.pad_length, "pad_length");
    }
    return internal::pack_streams(
        sequences, memory,
        [&](const Stream& stream, std::span<const SequenceView> views,
            std::pmr::memory_resource& from) { return pack_stream(stream, views, from); });
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    const auto longest = std::ranges::max_element(sample_counts);
    if (longest == sample_counts.end()) return 0;
    return internal::most_product(std::ssize(sample_counts), padded_length(*longest));
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }

 private:
  /// T, where the longest sequence has so many samples.
  [[nodiscard]] std::int64_t padded_length(std::int64_t longest) const noexcept {
    if (padding_.pad_length) return *padding_.pad_length;
    const std::int64_t multiple = padding_.pad_multiple.value_or(1);
    const std::int64_t rest = longest % multiple;
    return rest == 0 ? longest : internal::saturated_sum(longest, multiple - rest);
  }

  [[nodiscard]] StreamBatch pack_stream(const Stream& stream, std::span<const SequenceView> views,
                                        std::pmr::memory_resource& memory) const {
    const Sizes sizes = internal::measure(views);
    StreamBatch batch = internal::begin_batch(Layout::padded, stream, views, sizes, memory);
    batch.sample_count_max = padded_length(sizes.sample_count_max);
    batch.pad_side = padding_.pad_side;
    batch.mask = padded_mask(views, batch, memory);
    if (internal::has_row_offsets(stream)) {
      batch.values = internal::gather_values(stream, views, sizes, memory);
      if (stream.storage == Storage::sparse) {
        batch.indices = internal::gather_indices(stream, views, sizes, memory);
      }
      batch.row_offsets = padded_row_offsets(views, batch, sizes, memory);
      return batch;
    }
    const PadFill fill = internal::fill_of(padding_, stream);
    if (internal::is_variable(stream)) {
      batch.values = padded_variable_values(stream, views, batch, fill, memory);
      batch.extents = internal::row_extents(stream, views, batch, batch.row_count(), memory);
    } else {
      batch.values = padded_values(stream, views, batch, sizes, fill, memory);
    }
    return batch;
  }

  Padding padding_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Packer> padded_packer(const Padding& padding) {
  return std::make_unique<PaddedPacker>(padding);
}

}  // namespace sheaf
