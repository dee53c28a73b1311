// Repeats the one sample of a sequence, such as an i-vector, for each sample of another stream.

#include <cstddef>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/gather.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

// The stream that gives the length comes first, since the number of samples made follows from it.
constexpr std::size_t kLike = 0;
constexpr std::size_t kRepeated = 1;

class Broadcast final : public Transform {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return broadcast_transform().name;
  }
  [[nodiscard]] std::string options() const override { return ""; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    const Stream& stream = inputs[kRepeated];
    if (!stream.sample_shape.is_fixed()) refuse_stream(stream, "have samples of a fixed shape");
    return {stream};
  }

  // A repeated sample still counts as one sample, as before.
  [[nodiscard]] bool keeps_minibatch_size() const noexcept override { return true; }

  [[nodiscard]] SampleRange reads_of(std::size_t i, const SampleRange& range,
                                     const TransformedSequence& sequence) const override {
    static_cast<void>(range);
    static_cast<void>(sequence);
    return {0, i == kRepeated ? 1 : 0};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    const SequenceView& view = input.views[kRepeated];
    if (!view.is_present) {
      output.set(0, view);
      return;
    }
    const std::int64_t count = input.sequence.sample_counts[kRepeated];
    if (count != 1) {
      throw ConfigError(formatted("stream {} must have one sample, which is repeated: got {}",
                                  quoted(std::string_view(input.streams[kRepeated].name)), count));
    }
    gather(input, output, kRepeated, 0, [](std::int64_t) { return std::int64_t{0}; });
  }
};

constexpr TransformOption kBroadcastOptions[] = {
    {.name = "like",
     .help = "the stream that gives the number of samples; needed",
     .is_stream = true},
};

}  // namespace

const TransformType& broadcast_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "broadcast",
      .description = "the one sample of a sequence, repeated to the length of another stream",
      .use = TransformUse::each,
      .options = kBroadcastOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(broadcast_transform(), request));
        return std::make_shared<const Broadcast>();
      }};
  return kType;
}

}  // namespace sheaf::internal
