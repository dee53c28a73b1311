// Masks parts of a sequence in time and in frequency. Does not warp time.
//
// All masks of a sequence are drawn first, the time masks before the frequency masks. For each
// mask, the width is drawn before the start. A mask of width 0 takes both numbers, too. The masks
// depend only on the generator, the number of samples and the extent. So a slice of the result has
// the masks of the whole.
//
// Source: Park et al.: SpecAugment: A Simple Data Augmentation Method for Automatic Speech
// Recognition (2019).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <optional>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

struct MaskOptions {
  std::int64_t count = 0;
  std::int64_t width_max = 0;
};

struct SpecAugmentOptions {
  MaskOptions time = {};
  double time_ratio = 1;
  MaskOptions frequency = {};
  std::optional<double> value = {};  // nothing: the mean of the sequence
};

using MaskIntervals = std::pmr::vector<SampleRange>;

MaskIntervals drawn_masks(const MaskOptions& masks, std::int64_t extent, KeyedGenerator& generator,
                          std::pmr::memory_resource& memory) {
  MaskIntervals intervals(&memory);
  intervals.reserve(static_cast<std::size_t>(masks.count));
  for (std::int64_t i = 0; i < masks.count; ++i) {
    const std::int64_t width = generator.below(std::min(masks.width_max, extent) + 1);
    intervals.push_back({generator.below(extent - width + 1), width});
  }
  return intervals;
}

template <typename T>
double spec_augment_mean(const SequenceView& view) {
  double sum = 0;
  for (std::int64_t i = 0; i < view.value_count; ++i) sum += double{load<T>(view.values, i)};
  return sum / static_cast<double>(view.value_count);
}

class SpecAugment final : public Transform {
 public:
  explicit SpecAugment(const SpecAugmentOptions& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return spec_augment_transform().name;
  }
  [[nodiscard]] std::string options() const override {
    return formatted(
        "time_masks={},time_width={},time_ratio={},frequency_masks={},frequency_width={},value={}",
        options_.time.count, options_.time.width_max, options_.time_ratio, options_.frequency.count,
        options_.frequency.width_max, options_.value ? formatted("{}", *options_.value) : "mean");
  }
  [[nodiscard]] bool is_random() const noexcept override { return true; }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    const Stream& stream = inputs[0];
    const bool is_float =
        stream.element_type == ElementType::f32 || stream.element_type == ElementType::f64;
    if (stream.storage != Storage::dense || !is_float || stream.sample_shape.rank() != 1 ||
        !stream.sample_shape.is_fixed()) {
      refuse_stream(stream, "be dense f32 or f64 with one fixed extent");
    }
    return {stream};
  }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    return options_.value ? range : SampleRange{0, sequence.sample_counts[0]};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    if (input.streams[0].element_type == ElementType::f64) {
      apply_to<double>(input, output);
    } else {
      apply_to<float>(input, output);
    }
  }

 private:
  template <typename T>
  void apply_to(const TransformInput& input, TransformOutput& output) const {
    const SequenceView& view = input.views[0];
    const SampleRange& range = input.range;
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const std::int64_t count = input.sequence.sample_counts[0];

    KeyedGenerator generator = input.sequence.generator();
    const MaskOptions time = {options_.time.count,
                              std::min(options_.time.width_max, share_of(count))};
    const MaskIntervals time_masks = drawn_masks(time, count, generator, output.memory());
    const MaskIntervals frequency_masks =
        drawn_masks(options_.frequency, dim, generator, output.memory());

    T* const values = output.dense<T>(0, range.count);
    std::memcpy(values,
                view.values + (range.first - input.firsts[0]) * dim * std::int64_t{sizeof(T)},
                static_cast<std::size_t>(range.count * dim) * sizeof(T));
    const T masked = static_cast<T>(options_.value ? *options_.value : spec_augment_mean<T>(view));
    for (const SampleRange& mask : time_masks) {
      const std::int64_t first = std::max<std::int64_t>(mask.first - range.first, 0);
      const std::int64_t end = std::min(mask.first + mask.count - range.first, range.count);
      if (first < end) std::fill(values + first * dim, values + end * dim, masked);
    }
    for (const SampleRange& mask : frequency_masks) {
      for (std::int64_t i = 0; i < range.count; ++i) {
        std::fill_n(values + i * dim + mask.first, mask.count, masked);
      }
    }
  }

  // Returns the most samples that a time mask may cover.
  [[nodiscard]] std::int64_t share_of(std::int64_t count) const noexcept {
    const double share = std::floor(options_.time_ratio * static_cast<double>(count));
    return share >= static_cast<double>(count) ? count : static_cast<std::int64_t>(share);
  }

  SpecAugmentOptions options_;
};

std::optional<double> spec_augment_value(const OptionValues& options) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (options.text("value") == "mean") return std::nullopt;
  try {
    return options.number("value", -kMax, kMax);
  } catch (const ConfigError&) {
    throw ConfigError(formatted("value must be mean, or a number that an f32 can hold: got {}",
                                quoted(options.text("value"))));
  }
}

constexpr std::array<TransformOption, 6> kSpecAugmentOptions = {{
    {.name = "time_masks", .default_text = "2", .help = "the number of time masks"},
    {.name = "time_width", .default_text = "40", .help = "the most samples of a time mask"},
    {.name = "time_ratio", .default_text = "1", .help = "the largest share of a time mask"},
    {.name = "frequency_masks", .default_text = "2", .help = "the number of frequency masks"},
    {.name = "frequency_width", .default_text = "27", .help = "the most values of such a mask"},
    {.name = "value", .default_text = "0", .help = "what masked values become: a number, or mean"},
}};

}  // namespace

const TransformType& spec_augment_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "spec_augment",
      .description = "masks random stretches of time and of frequency",
      .use = TransformUse::each,
      .options = kSpecAugmentOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        constexpr std::int64_t kMasksMax = 1000;
        constexpr std::int64_t kWidthMax = std::numeric_limits<std::int64_t>::max();
        const OptionValues options(spec_augment_transform(), request);
        return std::make_shared<const SpecAugment>(
            SpecAugmentOptions{.time = {options.integer("time_masks", 0, kMasksMax),
                                        options.integer("time_width", 0, kWidthMax)},
                               .time_ratio = options.number("time_ratio", 0, 1),
                               .frequency = {options.integer("frequency_masks", 0, kMasksMax),
                                             options.integer("frequency_width", 0, kWidthMax)},
                               .value = spec_augment_value(options)});
      }};
  return kType;
}

}  // namespace sheaf::internal
