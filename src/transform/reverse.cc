// Reverses the samples of a sequence.

#include <cstring>

#include "transform/gather.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

class Reverse final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return reverse_transform().name; }
  [[nodiscard]] std::string options() const override { return ""; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }
  [[nodiscard]] bool keeps_samples() const noexcept override { return true; }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    return {sequence.sample_counts[0] - range.first - range.count, range.count};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const std::int64_t last = input.sequence.sample_counts[0] - 1 - input.range.first;
    gather(input, output, 0, 0, [&](std::int64_t i) { return last - i; });
  }
};

}  // namespace

const TransformType& reverse_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "reverse",
      .description = "the samples of a sequence, last one first",
      .use = TransformUse::each,
      .takes_all = true,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(reverse_transform(), request));
        return std::make_shared<const Reverse>();
      }};
  return kType;
}

}  // namespace sheaf::internal
