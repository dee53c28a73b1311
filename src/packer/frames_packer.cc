#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "base/text.h"
#include "packer/gather.h"
#include "packer/padding.h"
#include "packer/variable_rows.h"

// The layout `frames`: sequences of one sample, one array row for each sequence, without a time
// axis. The packer checks that no sequence has more samples. A sequence that lacks a stream has an
// array row without a sample.
//
// Limit: as for `ragged`, without the offsets.

namespace sheaf {
namespace {

using internal::PadFill;

/// Returns the array rows of values, with padding for sequences that lack the stream.
Buffer frame_values(const Stream& stream, std::span<const SequenceView> views,
                    const StreamBatch& batch, const PadFill& fill,
                    std::pmr::memory_resource& memory) {
  const std::int64_t row_size = batch.row_shape.size() * element_size(stream.element_type);
  Buffer values = internal::allocate(batch.sequence_count, row_size, memory);
  if (values.empty()) return values;
  internal::RunCopier copier(values.mutable_data());
  for (const SequenceView& view : views) {
    if (view.is_present) {
      copier.append(view.values, row_size);
    } else {
      copier.append_padding(fill, row_size);
    }
  }
  return values;
}

/// Returns the row offsets in CSR form. An array row without a sample has no values.
Buffer frame_row_offsets(std::span<const SequenceView> views, std::pmr::memory_resource& memory) {
  Buffer row_offsets = internal::allocate(std::ssize(views) + 1, sizeof(std::int64_t), memory);
  std::int64_t* out = row_offsets.as_mutable<std::int64_t>().data();
  std::int64_t value_count = 0;
  *out++ = 0;
  for (const SequenceView& view : views) *out++ = value_count += view.value_count;
  return row_offsets;
}

StreamBatch pack_frames_stream(const Stream& stream, std::span<const SequenceView> views,
                               const PadFill& fill, const internal::StreamMemory& memory) {
  const internal::Sizes sizes = internal::measure(views);
  StreamBatch batch = internal::begin_batch(Layout::frames, stream, views, sizes, memory);
  if (internal::has_row_offsets(stream)) {
    batch.values = internal::gather_values(stream, views, sizes, memory);
    if (stream.storage == Storage::sparse) {
      batch.indices = internal::gather_indices(stream, views, sizes, memory);
    }
    batch.row_offsets = frame_row_offsets(views, memory);
    return batch;
  }
  batch.values = sizes.is_absent_somewhere ? frame_values(stream, views, batch, fill, memory)
                                           : internal::gather_values(stream, views, sizes, memory);
  if (internal::is_variable(stream)) {
    batch.extents = internal::row_extents(stream, views, batch, batch.sequence_count, memory);
  }
  return batch;
}

/// Throws: ConfigError for the first sequence that does not have exactly one sample in each of its
///         streams.
void check_sample_counts(const SequenceList& sequences) {
  const auto stream_count = std::ssize(*sequences.streams());
  const auto is_frame = [](const SequenceView& view) {
    return !view.is_present || view.sample_count == 1;
  };
  bool is_right = true;
  for (std::int64_t s = 0; s < stream_count; ++s) {
    is_right = is_right && std::ranges::all_of(sequences.views(s), is_frame);
  }
  if (is_right) return;
  for (std::int64_t i = 0; i < sequences.size(); ++i) {
    for (std::int64_t s = 0; s < stream_count; ++s) {
      const SequenceView& view = sequences.views(s)[static_cast<std::size_t>(i)];
      if (is_frame(view)) continue;
      const std::string& stream = (*sequences.streams())[static_cast<std::size_t>(s)].name;
      throw ConfigError(formatted(
          "packing: sequence {} has {} samples in stream \"{}\": `frames` takes sequences of "
          "exactly "
          "one sample in every stream; pack them as `padded`, `ragged` or `packed`, or make every "
          "sample a sequence of its own",
          internal::key_of(sequences, i), view.sample_count, stream));
    }
  }
}

class FramesPacker final : public Packer {
 public:
  explicit FramesPacker(const Padding& padding)
      : padding_(padding),
        name_(std::string(to_string(Layout::frames)) + internal::padding_name(padding)) {
    internal::check_padding(Layout::frames, padding);
  }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  void check(std::span<const Stream> streams) const override {
    internal::check_shapes(Layout::frames, streams);
    internal::check_pad_values(padding_, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    check_sample_counts(sequences);
    internal::check_equal_shapes(Layout::frames, sequences);
    return internal::pack_streams(sequences, memory,
                                  [&](const Stream& stream, std::span<const SequenceView> views,
                                      const internal::StreamMemory& from) {
                                    return pack_frames_stream(
                                        stream, views, internal::fill_of(padding_, stream), from);
                                  });
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    return std::ssize(sample_counts);
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }
  [[nodiscard]] bool takes_arrays() const noexcept override { return true; }

 private:
  Padding padding_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Packer> frames_packer(const Padding& padding) {
  return std::make_unique<FramesPacker>(padding);
}

}  // namespace sheaf
