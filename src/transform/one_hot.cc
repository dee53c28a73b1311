// Turns ids into sparse samples with a single 1, at the index of the id.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "transform/option_values.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

// Returns the value as a whole number, if it is one.
template <typename T>
std::optional<std::int64_t> whole_number(T value) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = 0x1p63;
    if (!(value >= -kEnd && value < kEnd) || value != std::floor(value)) return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

class OneHot final : public Transform {
 public:
  OneHot(std::int64_t dim, ElementType dtype, std::optional<std::int64_t> ignored)
      : dim_(dim), dtype_(dtype), ignored_(ignored) {}

  [[nodiscard]] std::string_view name() const noexcept override { return one_hot_transform().name; }
  [[nodiscard]] std::string options() const override {
    std::string text = formatted("dim={},dtype={}", dim_, to_string(dtype_));
    if (ignored_) text += formatted(",ignore={}", *ignored_);
    return text;
  }

  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override {
    Stream stream = inputs[0];
    const Shape& shape = stream.sample_shape;
    if (stream.storage != Storage::dense || !is_number_type(stream.element_type) ||
        !(shape == Shape{} || shape == Shape{1})) {
      refuse_stream(stream, "be dense u8, u16, i32, i64, f32 or f64 with one value a sample");
    }
    constexpr std::int64_t kIndexMax = std::numeric_limits<std::int32_t>::max();
    stream.element_type = dtype_;
    stream.sample_shape = Shape{dim_};
    stream.storage = Storage::sparse;
    stream.index_type = dim_ - 1 > kIndexMax ? ElementType::i64 : ElementType::i32;
    return {stream};
  }

  void apply(const TransformInput& input, TransformOutput& output) const override {
    visit_number_type(input.streams[0].element_type, [&](auto zero) {
      if (output.streams()[0].index_type == ElementType::i64) {
        apply_to<decltype(zero), std::int64_t>(input, output);
      } else {
        apply_to<decltype(zero), std::int32_t>(input, output);
      }
    });
  }

 private:
  template <typename T, typename IndexT>
  void apply_to(const TransformInput& input, TransformOutput& output) const {
    const SampleRange& range = input.range;
    std::int64_t value_count = 0;
    for (std::int64_t i = 0; i < range.count; ++i) value_count += id_at<T>(input, i) ? 1 : 0;

    const TransformOutput::Sparse made = output.sparse(0, range.count, value_count);
    auto* const indices = reinterpret_cast<IndexT*>(made.indices);
    std::int64_t done = 0;
    made.sample_offsets[0] = 0;
    for (std::int64_t i = 0; i < range.count; ++i) {
      const std::optional<std::int64_t> id = id_at<T>(input, i);
      if (id) indices[done++] = static_cast<IndexT>(*id);
      made.sample_offsets[i + 1] = done;
    }
    if (dtype_ == ElementType::f64) {
      std::fill_n(reinterpret_cast<double*>(made.values), done, 1.0);
    } else {
      std::fill_n(reinterpret_cast<float*>(made.values), done, 1.0F);
    }
  }

  // Returns the id of a sample of the range, or nothing if the id is ignored.
  template <typename T>
  [[nodiscard]] std::optional<std::int64_t> id_at(const TransformInput& input,
                                                  std::int64_t i) const {
    const std::int64_t sample = input.range.first + i;
    const T value = load<T>(input.views[0].values, sample - input.firsts[0]);
    const std::optional<std::int64_t> id = whole_number(value);
    if (id && id == ignored_) return std::nullopt;
    if (!id || *id < 0 || *id >= dim_) {
      throw ConfigError(
          formatted("stream {}: the id of sample {} must be a whole number from 0 to {}: got {}",
                    quoted(std::string_view(input.streams[0].name)), sample, dim_ - 1, +value));
    }
    return id;
  }

  std::int64_t dim_;
  ElementType dtype_;
  std::optional<std::int64_t> ignored_;
};

constexpr std::array<TransformOption, 3> kOneHotOptions = {{
    {.name = "dim", .help = "the number of ids; needed"},
    {.name = "dtype", .default_text = "f32", .help = "the type of the values: f32 or f64"},
    {.name = "ignore", .help = "an id that makes an empty sample, such as -1"},
}};

}  // namespace

const TransformType& one_hot_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "one_hot",
      .description = "sparse samples with a single 1 at the index that is the id",
      .use = TransformUse::each,
      .options = kOneHotOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        using Limits = std::numeric_limits<std::int64_t>;
        constexpr std::int64_t kDimMax = std::int64_t{1} << 40;  // of any stream
        constexpr std::string_view kTypes[] = {"f32", "f64"};
        const OptionValues options(one_hot_transform(), request);
        const std::int64_t dim = options.integer("dim", 1, kDimMax);
        const ElementType dtype =
            options.choice("dtype", kTypes) == 0 ? ElementType::f32 : ElementType::f64;
        std::optional<std::int64_t> ignored;
        if (options.has("ignore"))
          ignored = options.integer("ignore", Limits::min(), Limits::max());
        return std::make_shared<const OneHot>(dim, dtype, ignored);
      }};
  return kType;
}

}  // namespace sheaf::internal
