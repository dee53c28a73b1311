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

#include "base/saturated.h"
#include "packer/gather.h"
#include "packer/padded_stream.h"
#include "packer/padding.h"

namespace sheaf {
namespace {

using internal::Sizes;

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
            const internal::StreamMemory& from) { return pack_stream(stream, views, from); });
  }

  [[nodiscard]] std::int64_t row_count(std::span<const std::int64_t> sample_counts) const override {
    const auto longest = std::ranges::max_element(sample_counts);
    if (longest == sample_counts.end()) return 0;
    return internal::most_product(std::ssize(sample_counts), padded_length(*longest));
  }

  [[nodiscard]] bool takes_strides() const noexcept override { return true; }
  [[nodiscard]] bool takes_arrays() const noexcept override { return true; }

 private:
  /// Returns T if the longest sequence has `longest` samples.
  [[nodiscard]] std::int64_t padded_length(std::int64_t longest) const noexcept {
    if (padding_.pad_length) return *padding_.pad_length;
    const std::int64_t multiple = padding_.pad_multiple.value_or(1);
    const std::int64_t rest = longest % multiple;
    return rest == 0 ? longest : internal::saturated_sum(longest, multiple - rest);
  }

  [[nodiscard]] StreamBatch pack_stream(const Stream& stream, std::span<const SequenceView> views,
                                        const internal::StreamMemory& memory) const {
    const Sizes sizes = internal::measure(views);
    return internal::pack_padded_stream(stream, views, sizes,
                                        {.length = padded_length(sizes.sample_count_max),
                                         .pad_side = padding_.pad_side,
                                         .fill = internal::fill_of(padding_, stream)},
                                        memory);
  }

  Padding padding_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Packer> padded_packer(const Padding& padding) {
  return std::make_unique<PaddedPacker>(padding);
}

}  // namespace sheaf
