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
    if (left_ == 0 && right_ == 0) {  // the samples as they are
      output.set(0, part_of_view(input.views[0], stream,
                                 {input.range.first - input.firsts[0], input.range.count}));
      return;
    }
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
    {.name = "dim", .help = "values of a sample made, in place of left and right"},
};

// How many samples before and after make samples of `dim` values, as many before as after.
std::int64_t inferred_side(std::int64_t dim, std::span<const Stream> streams) {
  if (streams.empty()) throw ConfigError("dim needs a stream whose samples are widened");
  require_dense_fixed(streams[0]);
  const std::int64_t size = streams[0].sample_shape.size();
  if (size > 0 && dim % size == 0 && dim / size % 2 == 1) return dim / size / 2;
  throw ConfigError(
      formatted("dim must be an odd multiple of {}, the values of a sample of stream {}: got {}",
                size, quoted(std::string_view(streams[0].name)), dim));
}

std::shared_ptr<const Transform> make_context(const TransformRequest& request) {
  const OptionValues options(context_transform(), request);
  if (!options.has("dim")) {
    return std::make_shared<const ContextWindow>(options.integer("left", 0, kNeighboursMax),
                                                 options.integer("right", 0, kNeighboursMax));
  }
  if (options.has("left") || options.has("right")) {
    throw ConfigError("dim stands in place of left and right: leave it out, or leave them out");
  }
  const std::int64_t side =
      inferred_side(options.integer("dim", 1, kSampleValuesMax), request.streams);
  if (side > kNeighboursMax) {
    throw ConfigError(
        formatted("dim would take {} samples before and after each sample; at most "
                  "{} are possible",
                  side, kNeighboursMax));
  }
  return std::make_shared<const ContextWindow>(side, side);
}

}  // namespace

const TransformType& context_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "context",
      .description = "each sample joined with the samples before and after",
      .use = TransformUse::each,
      .options = kContextOptions,
      .make = make_context};
  return kType;
}

}  // namespace sheaf::internal
