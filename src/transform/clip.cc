// Keeps some consecutive samples of a sequence, the same ones in all streams.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"

#include "base/text.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

enum class ClipAt : std::uint8_t { random, start, center, end };
constexpr std::string_view kClipAtWords[] = {"random", "start", "center", "end"};

class Clip final : public Transform {
 public:
  Clip(std::int64_t samples, ClipAt at) : samples_(samples), at_(at) {}

  [[nodiscard]] std::string_view name() const noexcept override { return clip_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("samples={},at={}", samples_, kClipAtWords[static_cast<std::size_t>(at_)]);
  }
  [[nodiscard]] bool is_random() const noexcept override { return at_ == ClipAt::random; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    return {inputs.begin(), inputs.end()};
  }

  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept override {
    return std::min(sample_count, samples_);
  }
  [[nodiscard]] bool keeps_counts() const noexcept override { return false; }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    return {first_of(sequence) + range.first, range.count};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    check_counts(input);
    const std::int64_t first = first_of(input.sequence) + input.range.first;
    for (std::size_t i = 0; i < input.views.size(); ++i) {
      const SequenceView& view = input.views[i];
      output.set(i, view.is_present ? part_of_view(view, input.streams[i],
                                                   {first - input.firsts[i], input.range.count})
                                    : view);
    }
  }

 private:
  // Returns the first sample to keep.
  [[nodiscard]] std::int64_t first_of(const TransformedSequence& sequence) const noexcept {
    const std::int64_t surplus = sequence.sample_counts[0] - samples_;
    if (surplus <= 0) return 0;
    switch (at_) {
      case ClipAt::random:
        return sequence.generator().below(surplus + 1);
      case ClipAt::start:
        return 0;
      case ClipAt::center:
        return surplus / 2;
      case ClipAt::end:
        return surplus;
    }
    return 0;
  }

  static void check_counts(const TransformInput& input) {
    const std::span<const std::int64_t> counts = input.sequence.sample_counts;
    for (std::size_t i = 1; i < counts.size(); ++i) {
      if (!input.views[i].is_present || counts[i] == counts[0]) continue;
      throw ConfigError(
          formatted("streams {} and {} must have equal numbers of samples: got {} and {}",
                    quoted(std::string_view(input.streams[0].name)),
                    quoted(std::string_view(input.streams[i].name)), counts[0], counts[i]));
    }
  }

  std::int64_t samples_;
  ClipAt at_;
};

constexpr std::array<TransformOption, 2> kClipOptions = {{
    {.name = "samples", .help = "the most samples that a sequence keeps; needed"},
    {.name = "at", .default_text = "random", .help = "random, start, center or end"},
}};

}  // namespace

const TransformType& clip_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "clip",
      .description = "at most so many consecutive samples, the same in all streams",
      .use = TransformUse::together,
      .takes_all = true,
      .options = kClipOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        const OptionValues options(clip_transform(), request);
        const std::int64_t samples =
            options.integer("samples", 1, std::numeric_limits<std::int64_t>::max());
        return std::make_shared<const Clip>(
            samples, static_cast<ClipAt>(options.choice("at", kClipAtWords)));
      }};
  return kType;
}

}  // namespace sheaf::internal
