// Changes brightness, contrast and saturation, as CNTK did.
//
// The compiler must not fuse operations: src/CMakeLists.txt prevents it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/image_saturation.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr double kPixelMax = 255;

struct ColorOptions {
  double brightness = 0;
  double contrast = 0;
  double saturation = 0;
  std::optional<std::uint32_t> ordered_seed = {};
  std::optional<ElementType> dtype = {};
};

template <typename T>
double mean_of(const PixelView<T>& image) {
  // A sum of bytes is exact.
  double sum = 0;
  for (std::int64_t y = 0; y < image.height; ++y) {
    const T* const row = image.row(y);
    for (std::int64_t i = 0; i < image.width * image.channels; ++i) {
      sum += static_cast<double>(row[i]);
    }
  }
  return sum / (static_cast<double>(image.height) * static_cast<double>(image.width) *
                static_cast<double>(image.channels));
}

/// Draws the brightness, the contrast, and, for images of three channels, the saturation, in this
/// order. Only ratios above 0 are drawn.
class Color final : public ImageOperation {
 public:
  explicit Color(const ColorOptions& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const noexcept override { return color_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("brightness={},contrast={},saturation={},{}{}",
                     number_text_of(options_.brightness), number_text_of(options_.contrast),
                     number_text_of(options_.saturation), draws_text(options_.ordered_seed),
                     dtype_text(options_.dtype));
  }
  [[nodiscard]] bool is_random() const noexcept override { return !is_identity(); }
  [[nodiscard]] std::optional<std::uint32_t> ordered_seed() const noexcept override {
    return options_.ordered_seed;
  }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_pixel_type(from, stream);
    ImageForm made = from;
    if (!is_identity()) made.type = floating_type(options_.dtype, from.type);
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    if (is_identity()) return;
    ImageStep step{.made = form, .operation = this, .numbers = {0, 1, 1}};
    step.made.type = floating_type(options_.dtype, form.type);
    const auto drawn = [&](double radius) { return draws.real(-radius, radius); };
    if (options_.brightness > 0) step.numbers[0] = drawn(options_.brightness);
    if (options_.contrast > 0) step.numbers[1] = 1 + drawn(options_.contrast);
    if (options_.saturation > 0 && form.channels == 3) {
      step.numbers[2] = 1 + drawn(options_.saturation);
    }
    steps.push_back(step);
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    if (to.type == ElementType::f32) {
      apply_from<float>(step, from, to);
    } else {
      apply_from<double>(step, from, to);
    }
  }

 private:
  [[nodiscard]] bool is_identity() const noexcept {
    return options_.brightness == 0 && options_.contrast == 0 && options_.saturation == 0;
  }

  template <typename To>
  void apply_from(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const {
    const PixelView<To> made = to.view<To>();
    if (from.type == ElementType::u8) {
      shift(step, from.view<std::uint8_t>(), made);
    } else if (from.type == ElementType::f32) {
      shift(step, from.view<float>(), made);
    } else {
      shift(step, from.view<double>(), made);
    }
    if (options_.saturation > 0 && made.channels == 3) {
      saturate(static_cast<float>(step.numbers[2]), made);
    }
  }

  template <typename From, typename To>
  void shift(const ImageStep& step, const PixelView<From>& from, const PixelView<To>& to) const {
    const bool changes = options_.brightness > 0 || options_.contrast > 0;
    const double mean = options_.brightness > 0 ? mean_of(from) : 0;
    const auto alpha = static_cast<To>(step.numbers[1]);
    const auto beta = static_cast<To>(step.numbers[0] * mean);
    for (std::int64_t y = 0; y < from.height; ++y) {
      const From* const source = from.row(y);
      To* const out = to.row(y);
      for (std::int64_t i = 0; i < from.width * from.channels; ++i) {
        const auto value = static_cast<To>(source[i]);
        out[i] = changes ? std::clamp(value * alpha + beta, To{0}, To{kPixelMax}) : value;
      }
    }
  }

  // Computes in f32, since CNTK had the saturation in f32 only.
  template <typename T>
  static void saturate(float ratio, const PixelView<T>& image) {
    std::vector<float> rows(static_cast<std::size_t>(image.width * image.channels));
    const PixelView<float> row{.values = rows.data(),
                               .width = image.width,
                               .height = 1,
                               .channels = image.channels,
                               .row_stride = std::ssize(rows)};
    for (std::int64_t y = 0; y < image.height; ++y) {
      T* const values = image.row(y);
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(values[i]);
      scale_saturation(row, ratio);
      for (std::size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<T>(rows[i]);
    }
  }

  ColorOptions options_;
};

constexpr std::array<TransformOption, 6> kColorOptions = {{
    {.name = "brightness",
     .default_text = "0",
     .help = "adds up to this part of the mean of the image, 0 to 1"},
    {.name = "contrast",
     .default_text = "0",
     .help = "multiplies values by 1 - contrast to 1 + contrast, 0 to 1"},
    {.name = "saturation", .default_text = "0", .help = "likewise the saturation, 0 to 1"},
    kDrawsOption,
    kSeedOption,
    kDtypeOption,
}};

}  // namespace

const TransformType& color_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "color",
      .description = "random brightness, contrast and saturation",
      .use = TransformUse::each,
      .options = kColorOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        const OptionValues values(color_transform(), request);
        return std::make_shared<const ImagePipeline>(
            std::make_shared<const Color>(
                ColorOptions{.brightness = values.number("brightness", 0, 1),
                             .contrast = values.number("contrast", 0, 1),
                             .saturation = values.number("saturation", 0, 1),
                             .ordered_seed = draws_seed(values),
                             .dtype = image_dtype(values)}),
            request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
