// Keeps every n-th sample of a sequence.

#include <array>
#include <limits>

#include "base/text.h"
#include "transform/gather.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

class Subsample final : public Transform {
 public:
  Subsample(std::int64_t every, std::int64_t first) : every_(every), first_(first) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return subsample_transform().name;
  }
  [[nodiscard]] std::string options() const override {
    return formatted("every={},first={}", every_, first_);
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  [[nodiscard]] bool keeps_samples() const noexcept override { return true; }

  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept override {
    return sample_count <= first_ ? 0 : (sample_count - first_ - 1) / every_ + 1;
  }
  [[nodiscard]] bool keeps_counts() const noexcept override { return every_ == 1; }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    static_cast<void>(sequence);
    return {source_of(range.first), (range.count - 1) * every_ + 1};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    gather(input, output, 0, 0, [&](std::int64_t i) { return source_of(input.range.first + i); });
  }

 private:
  // Returns the input sample of a sample of the result.
  [[nodiscard]] std::int64_t source_of(std::int64_t sample) const noexcept {
    return first_ + sample * every_;
  }

  std::int64_t every_;
  std::int64_t first_;
};

constexpr std::array<TransformOption, 2> kSubsampleOptions = {{
    {.name = "every", .help = "the step from one kept sample to the next; needed"},
    {.name = "first", .default_text = "0", .help = "the first kept sample, below every"},
}};

}  // namespace

const TransformType& subsample_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "subsample",
      .description = "every n-th sample of a sequence",
      .use = TransformUse::each,
      .takes_all = true,
      .options = kSubsampleOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        const OptionValues options(subsample_transform(), request);
        const std::int64_t every =
            options.integer("every", 1, std::numeric_limits<std::int64_t>::max());
        return std::make_shared<const Subsample>(every, options.integer("first", 0, every - 1));
      }};
  return kType;
}

}  // namespace sheaf::internal
