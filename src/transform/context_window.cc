// Each sample together with its neighbours.

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

class ContextWindow final : public Transform {
 public:
  ContextWindow(std::int64_t left, std::int64_t right) noexcept : left_(left), right_(right) {}

  [[nodiscard]] std::string_view name() const noexcept override { return context_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("left={},right={}", left_, right_);
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    require_dense_fixed(inputs[0]);
    Stream made = inputs[0];
    made.sample_shape = widened_shape(inputs[0], left_ + 1 + right_);
    return {made};
  }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    static_cast<void>(sequence);
    return {range.first - left_, left_ + range.count + right_};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const Stream& stream = input.streams[0];
    const std::int64_t size = stream.sample_shape.size() * element_size(stream.element_type);
    const std::int64_t last = input.sequence.sample_counts[0] - 1;
    const auto at = [&](std::int64_t sample) {
      return input.views[0].values + (sample - input.firsts[0]) * size;
    };
    std::byte* out = output.dense_bytes(0, input.range.count);
    const auto put = [&](const std::byte* samples, std::int64_t count) {
      std::memcpy(out, samples, static_cast<std::size_t>(count * size));
      out += count * size;
    };
    for (std::int64_t i = 0; i < input.range.count; ++i) {
      const std::int64_t sample = input.range.first + i;
      const std::int64_t begin = std::max<std::int64_t>(0, sample - left_);
      const std::int64_t end = std::min(last, sample + right_) + 1;
      for (std::int64_t t = sample - left_; t < 0; ++t) put(at(0), 1);
      put(at(begin), end - begin);
      for (std::int64_t t = sample + right_; t > last; --t) put(at(last), 1);
    }
  }

 private:
  std::int64_t left_;
  std::int64_t right_;
};

constexpr std::int64_t kNeighboursMax = 1'000'000;

constexpr TransformOption kContextOptions[] = {
    {.name = "left", .default_text = "0", .help = "samples before each sample"},
    {.name = "right", .default_text = "0", .help = "samples after each sample"},
};

}  // namespace

const TransformType& context_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "context",
      .description = "each sample joined with the samples before and after",
      .use = TransformUse::each,
      .options = kContextOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        const OptionValues options(context_transform(), request);
        return std::make_shared<const ContextWindow>(options.integer("left", 0, kNeighboursMax),
                                                     options.integer("right", 0, kNeighboursMax));
      }};
  return kType;
}

}  // namespace sheaf::internal
