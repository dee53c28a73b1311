#include <algorithm>
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

// Sequences of one sample each, one row for a sequence: what the other layouts come down to when
// nothing has a time axis, and a check that nothing has.
//
// Limit: as that of ragged, without its offsets.

namespace sheaf {
namespace {

StreamBatch pack_frames_stream(const Stream& stream, std::span<const SequenceView> views,
                               std::pmr::memory_resource& memory) {
  const internal::Sizes sizes = internal::measure(views);
  StreamBatch batch = internal::begin_batch(Layout::frames, views, sizes, memory);
  batch.values = internal::gather_values(stream, views, sizes, memory);
  if (stream.storage == Storage::sparse) {
    batch.indices = internal::gather_indices(stream, views, sizes, memory);
    batch.row_offsets = internal::gather_row_offsets(views, sizes, memory);
  }
  return batch;
}

/// Throws: ConfigError for the first sequence that is not one sample in every stream.
void check_sample_counts(const SequenceList& sequences) {
  const auto stream_count = std::ssize(*sequences.streams());
  for (std::int64_t i = 0; i < sequences.size(); ++i) {
    for (std::int64_t s = 0; s < stream_count; ++s) {
      const SequenceView& view = sequences.views(s)[static_cast<std::size_t>(i)];
      if (view.is_present && view.sample_count == 1) continue;
      const std::string& stream = (*sequences.streams())[static_cast<std::size_t>(s)].name;
      throw ConfigError(formatted(
          "packing: sequence {} has {} in stream \"{}\": `frames` takes sequences of exactly one "
          "sample in every stream; pack them as `padded`, `ragged` or `packed`, or make every "
          "sample a sequence of its own",
          internal::key_of(sequences, i),
          view.is_present ? formatted("{} samples", view.sample_count) : "nothing (0 samples)",
          stream));
    }
  }
}

class FramesPacker final : public Packer {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return to_string(Layout::frames);
  }

  void check(std::span<const Stream> streams) const override {
    internal::check_fixed_shapes(Layout::frames, streams);
  }

  [[nodiscard]] Minibatch pack(const SequenceList& sequences,
                               std::pmr::memory_resource& memory) const override {
    check(*sequences.streams());
    check_sample_counts(sequences);
    return internal::pack_streams(sequences, memory, pack_frames_stream);
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    return std::ssize(sample_counts);
  }
};

}  // namespace

std::unique_ptr<Packer> frames_packer() { return std::make_unique<FramesPacker>(); }

}  // namespace sheaf
