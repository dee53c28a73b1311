// Shifts colors along the principal axes of a data set's colors, as in Krizhevsky et al., 2012.
//
// The compiler must not fuse operations: src/CMakeLists.txt prevents it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_opencv_file.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kColorCount = 3;
constexpr float kValueMaxOfIntensity = 255;

struct IntensityOptions {
  float deviation = 0;
  std::array<float, kColorCount> eigenvalues = {};
  std::array<float, kColorCount* kColorCount> eigenvectors =
      {};  // a row for each of red, green, blue
  bool is_rgb = true;
  std::optional<std::uint32_t> ordered_seed = {};
  std::optional<ElementType> dtype = {};
  std::string text = {};  // for options()
};

/// Draws three normal numbers.
class Intensity final : public ImageOperation {
 public:
  explicit Intensity(IntensityOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return intensity_transform().name;
  }
  [[nodiscard]] std::string options() const override { return options_.text; }
  [[nodiscard]] bool is_random() const noexcept override { return options_.deviation > 0; }
  [[nodiscard]] std::optional<std::uint32_t> ordered_seed() const noexcept override {
    return options_.ordered_seed;
  }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_pixel_type(from, stream);
    if (from.channels != Shape::kVariable && !takes(from.channels)) {
      refuse_stream(stream, "have images of 1 or 3 channels");
    }
    ImageForm made = from;
    if (options_.deviation > 0) made.type = floating_type(options_.dtype, from.type);
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    if (options_.deviation == 0) return;
    if (!takes(form.channels)) {
      throw ImageRefused{.expected = "images of 1 or 3 channels",
                         .found = formatted("one of {}", form.channels),
                         .is_data = false};
    }
    std::array<float, kColorCount> parts{};
    for (std::size_t i = 0; i < kColorCount; ++i) {
      parts[i] = draws.normal() * options_.deviation * options_.eigenvalues[i];
    }
    ImageStep step{.made = form, .operation = this};
    step.made.type = floating_type(options_.dtype, form.type);
    for (std::size_t i = 0; i < kColorCount; ++i) {  // in f32, as in CNTK
      const float* const row = &options_.eigenvectors[kColorCount * i];
      step.numbers[i] =
          static_cast<double>(row[0] * parts[0] + row[1] * parts[1] + row[2] * parts[2]);
    }
    steps.push_back(step);
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    if (to.type == ElementType::f32) {
      shift_from(step, from, to.view<float>());
    } else {
      shift_from(step, from, to.view<double>());
    }
  }

 private:
  static bool takes(std::int64_t channels) noexcept { return channels == 1 || channels == 3; }

  template <typename To>
  void shift_from(const ImageStep& step, const AnyPixels& from, const PixelView<To>& to) const {
    if (from.type == ElementType::u8) {
      shift(step, from.view<std::uint8_t>(), to);
    } else if (from.type == ElementType::f32) {
      shift(step, from.view<float>(), to);
    } else {
      shift(step, from.view<double>(), to);
    }
  }

  template <typename From, typename To>
  void shift(const ImageStep& step, const PixelView<From>& from, const PixelView<To>& to) const {
    std::array<To, kColorCount> shifts{};
    const auto channels = static_cast<std::size_t>(from.channels);
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t color = options_.is_rgb ? c : channels - 1 - c;
      shifts[c] = static_cast<To>(step.numbers[color]);
    }
    for (std::int64_t y = 0; y < from.height; ++y) {
      const From* source = from.row(y);
      To* out = to.row(y);
      for (std::int64_t x = 0; x < from.width; ++x) {
        for (std::size_t c = 0; c < channels; ++c) {
          const To value = static_cast<To>(*source++) + shifts[c];
          *out++ = std::clamp(value, To{0}, To{kValueMaxOfIntensity});
        }
      }
    }
  }

  IntensityOptions options_;
};

constexpr std::array<TransformOption, 6> kIntensityOptions = {{
    {.name = "deviation", .help = "the standard deviation of the shift; needed"},
    {.name = "file",
     .help = "EigVal and EigVec of the colors, an XML file of OpenCV; needed",
     .is_path = true},
    {.name = "color", .default_text = "rgb", .help = "the channels of the images: rgb or bgr"},
    kDrawsOption,
    kSeedOption,
    kDtypeOption,
}};

template <std::size_t kCount>
std::array<float, kCount> numbers_of(const OpencvFile& file, std::string_view node,
                                     const std::string& name, std::string_view shape) {
  const std::vector<double> values = file.matrix(node).values;
  if (values.size() != kCount) {
    throw ConfigError(formatted("{}: expected {} to be a matrix of {}, found {} values", name, node,
                                shape, values.size()));
  }
  std::array<float, kCount> numbers{};
  std::ranges::transform(values, numbers.begin(),
                         [](double value) { return static_cast<float>(value); });
  return numbers;
}

std::shared_ptr<const Transform> make_intensity(const TransformRequest& request) {
  constexpr double kDeviationMax = 1e6;
  constexpr std::string_view kOrders[] = {"rgb", "bgr"};
  const OptionValues values(intensity_transform(), request);
  IntensityOptions options;
  options.deviation = static_cast<float>(values.number("deviation", 0, kDeviationMax));
  options.is_rgb = values.choice("color", kOrders) == 0;
  options.ordered_seed = draws_seed(values);
  options.dtype = image_dtype(values);
  const std::string text = option_file_text(request, values);
  const std::string name = formatted("file={}", values.text("file"));
  const OpencvFile file(text, name);
  options.eigenvalues = numbers_of<kColorCount>(file, "EigVal", name, "1 x 3");
  options.eigenvectors = numbers_of<kColorCount * kColorCount>(file, "EigVec", name, "3 x 3");
  options.text = formatted("deviation={},file={},color={},{}{}",
                           number_text_of(static_cast<double>(options.deviation)),
                           to_string(key_of_text(text)), options.is_rgb ? "rgb" : "bgr",
                           draws_text(options.ordered_seed), dtype_text(options.dtype));
  return std::make_shared<const ImagePipeline>(
      std::make_shared<const Intensity>(std::move(options)), request.streams);
}

}  // namespace

const TransformType& intensity_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "intensity",
      .description = "random shifts along the main axes of the colors",
      .use = TransformUse::each,
      .options = kIntensityOptions,
      .make = make_intensity};
  return kType;
}

}  // namespace sheaf::internal
