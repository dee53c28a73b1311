// Appends changes over time: regression coefficients, as Kaldi and HTK compute them.
//
// The compiler must not fuse a product and a sum into one operation, since the bytes would then
// differ between machines. src/CMakeLists.txt prevents it.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::array<std::string_view, 2> kDeltaStyles = {"kaldi", "htk"};

struct DeltaOptions {
  std::int64_t order = 2;
  std::int64_t window = 2;
  bool is_htk = false;
  bool append = true;
};

/// Returns sum(j * j) for j = -window .. window.
double delta_norm(std::int64_t window) noexcept {
  std::int64_t norm = 0;
  for (std::int64_t j = 1; j <= window; ++j) norm += 2 * j * j;
  return static_cast<double>(norm);
}

/// The scales of one order. Its deltas are sum(weights[j] * samples[j]) / divisor.
struct DeltaScales {
  // Of the samples -order*window .. order*window, relative to the current one.
  std::vector<double> weights;
  double divisor = 1;
};

/// Returns the scales of each order. For order 1, they are j / norm. Each further order is the
/// convolution of the previous one with order 1. The weights are whole numbers. So constant samples
/// of type f32 have deltas of exactly 0, except with the longest windows.
std::vector<DeltaScales> kaldi_scales(const DeltaOptions& options) {
  std::vector<double> weights = {1};
  double divisor = 1;
  std::vector<DeltaScales> scales;
  for (std::int64_t order = 1; order <= options.order; ++order) {
    std::vector<double> next(weights.size() + 2 * static_cast<std::size_t>(options.window));
    for (std::int64_t j = -options.window; j <= options.window; ++j) {
      const auto shift = static_cast<std::size_t>(j + options.window);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        next[k + shift] += static_cast<double>(j) * weights[k];
      }
    }
    weights = std::move(next);
    divisor *= delta_norm(options.window);
    scales.push_back({weights, divisor});
  }
  return scales;
}

/// Writes the deltas of kSize values.
template <typename T, std::int64_t kSize>
void weigh_block(const DeltaScales& scales, const std::byte* const* samples, std::int64_t first,
                 T* out) noexcept {
  std::array<double, static_cast<std::size_t>(kSize)> sums{};
  for (std::size_t j = 0; j < scales.weights.size(); ++j) {
    const double weight = scales.weights[j];
    if (weight == 0) continue;
    const std::byte* const values = samples[j] + first * std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < kSize; ++i) {
      sums[static_cast<std::size_t>(i)] += weight * static_cast<double>(load<T>(values, i));
    }
  }
  for (std::int64_t i = 0; i < kSize; ++i) {
    out[first + i] = static_cast<T>(sums[static_cast<std::size_t>(i)] / scales.divisor);
  }
}

class Deltas final : public Transform {
 public:
  explicit Deltas(const DeltaOptions& options)
      : options_(options), norm_(delta_norm(options.window)) {
    if (!options.is_htk) scales_ = kaldi_scales(options);
  }

  [[nodiscard]] std::string_view name() const noexcept override { return delta_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("order={},window={},style={},append={}", options_.order, options_.window,
                     kDeltaStyles[options_.is_htk ? 1 : 0], options_.append);
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    require_dense_fixed(inputs[0]);
    require_floating(inputs[0]);
    if (inputs[0].sample_shape.rank() != 1) refuse_stream(inputs[0], "have samples of one extent");
    Stream made = inputs[0];
    made.sample_shape = widened_shape(inputs[0], options_.order + (options_.append ? 1 : 0));
    return {made};
  }

  [[nodiscard]] SampleRange reads(const SampleRange& range,
                                  const TransformedSequence& sequence) const override {
    static_cast<void>(sequence);
    const std::int64_t reach = options_.order * options_.window;
    return {range.first - reach, range.count + 2 * reach};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    if (input.streams[0].element_type == ElementType::f32) {
      apply_to<float>(input, output);
    } else {
      apply_to<double>(input, output);
    }
  }

 private:
  template <typename T>
  void apply_to(const TransformInput& input, TransformOutput& output) const {
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const std::int64_t parts = options_.order + (options_.append ? 1 : 0);
    T* out = output.dense<T>(0, input.range.count);
    if (options_.append) {
      const std::byte* from = input.views[0].values +
                              (input.range.first - input.firsts[0]) * dim * std::int64_t{sizeof(T)};
      for (std::int64_t t = 0; t < input.range.count; ++t) {
        std::memcpy(out + t * parts * dim, from + t * dim * std::int64_t{sizeof(T)},
                    static_cast<std::size_t>(dim) * sizeof(T));
      }
      out += dim;
    }
    if (options_.is_htk) {
      put_htk<T>(input, out, parts * dim);
    } else {
      put_kaldi<T>(input, out, parts * dim);
    }
  }

  /// Computes each order from the samples. The first and the last sample are repeated beyond the
  /// ends.
  template <typename T>
  void put_kaldi(const TransformInput& input, T* out, std::int64_t stride) const {
    constexpr std::int64_t kBlock = 8;
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const std::int64_t last = input.sequence.sample_counts[0] - 1;
    const std::int64_t reach = options_.order * options_.window;
    std::vector<const std::byte*> samples(static_cast<std::size_t>(2 * reach + 1));
    for (std::int64_t t = 0; t < input.range.count; ++t, out += stride) {
      for (std::int64_t j = -reach; j <= reach; ++j) {
        const std::int64_t sample = std::clamp<std::int64_t>(input.range.first + t + j, 0, last);
        samples[static_cast<std::size_t>(j + reach)] =
            input.views[0].values + (sample - input.firsts[0]) * dim * std::int64_t{sizeof(T)};
      }
      for (std::int64_t order = 1; order <= options_.order; ++order) {
        const DeltaScales& scales = scales_[static_cast<std::size_t>(order - 1)];
        const std::byte* const* first = samples.data() + (reach - order * options_.window);
        T* const row = out + (order - 1) * dim;
        std::int64_t i = 0;
        for (; i + kBlock <= dim; i += kBlock) weigh_block<T, kBlock>(scales, first, i, row);
        for (; i < dim; ++i) weigh_block<T, 1>(scales, first, i, row);
      }
    }
  }

  /// Computes the deltas of each order from the deltas of the order before. The first and the last
  /// delta are repeated beyond the ends of the sequence, in each order.
  template <typename T>
  void put_htk(const TransformInput& input, T* out, std::int64_t stride) const {
    const std::int64_t dim = input.streams[0].sample_shape.size();
    const std::int64_t count = input.sequence.sample_counts[0];
    const SampleRange& range = input.range;
    // Returns the samples of an order that the next orders need.
    const auto needed = [&](std::int64_t order) {
      const std::int64_t reach = (options_.order - order) * options_.window;
      const std::int64_t first = std::max<std::int64_t>(0, range.first - reach);
      return SampleRange{first, std::min(count, range.first + range.count + reach) - first};
    };
    SampleRange had = needed(0);
    std::vector<double> values(static_cast<std::size_t>(had.count * dim));
    const std::byte* const from =
        input.views[0].values + (had.first - input.firsts[0]) * dim * std::int64_t{sizeof(T)};
    for (std::int64_t i = 0; i < had.count * dim; ++i) {
      values[static_cast<std::size_t>(i)] = static_cast<double>(load<T>(from, i));
    }
    for (std::int64_t order = 1; order <= options_.order; ++order, out += dim) {
      const SampleRange made = needed(order);
      std::vector<double> deltas(static_cast<std::size_t>(made.count * dim));
      const auto at = [&](std::int64_t sample) {
        return values.data() + (std::clamp<std::int64_t>(sample, 0, count - 1) - had.first) * dim;
      };
      for (std::int64_t t = 0; t < made.count; ++t) {
        double* const row = deltas.data() + t * dim;
        for (std::int64_t j = 1; j <= options_.window; ++j) {
          const double* const before = at(made.first + t - j);
          const double* const after = at(made.first + t + j);
          const auto weight = static_cast<double>(j);
          for (std::int64_t i = 0; i < dim; ++i) row[i] += weight * (after[i] - before[i]);
        }
        for (std::int64_t i = 0; i < dim; ++i) row[i] /= norm_;
      }
      const double* const result = deltas.data() + (range.first - made.first) * dim;
      for (std::int64_t t = 0; t < range.count; ++t) {
        for (std::int64_t i = 0; i < dim; ++i) {
          out[t * stride + i] = static_cast<T>(result[t * dim + i]);
        }
      }
      values = std::move(deltas);
      had = made;
    }
  }

  DeltaOptions options_;
  double norm_;
  std::vector<DeltaScales> scales_;  // of the orders from 1 on, in Kaldi's style
};

constexpr TransformOption kDeltaTransformOptions[] = {
    {.name = "order", .default_text = "2", .help = "1: deltas; 2: their deltas, too; 3: once more"},
    {.name = "window", .default_text = "2", .help = "samples before and after"},
    {.name = "style", .default_text = "kaldi", .help = "kaldi or htk, which differ at the ends"},
    {.name = "append", .default_text = "true", .help = "false: the deltas without the values"},
};

}  // namespace

const TransformType& delta_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "delta",
      .description = "values with their changes over time, as Kaldi and HTK compute them",
      .use = TransformUse::each,
      .options = kDeltaTransformOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        constexpr std::int64_t kOrderMax = 3;
        constexpr std::int64_t kWindowMax = 1000;
        const OptionValues options(delta_transform(), request);
        return std::make_shared<const Deltas>(
            DeltaOptions{.order = options.integer("order", 1, kOrderMax),
                         .window = options.integer("window", 1, kWindowMax),
                         .is_htk = options.choice("style", kDeltaStyles) == 1,
                         .append = options.flag("append")});
      }};
  return kType;
}

}  // namespace sheaf::internal
