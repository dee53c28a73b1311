// Subtracts a mean image from images.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_opencv_file.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

struct MeanImage {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::vector<double> values = {};  // [height, width, channels], in the layout of the images
};

struct MeanOptions {
  MeanImage image = {};
  std::string file_name = {};  // "file=mean.xml", for messages
  std::string text = {};       // for options()
  std::optional<ElementType> dtype = {};
};

class Mean final : public ImageOperation {
 public:
  explicit Mean(MeanOptions options)
      : options_(std::move(options)),
        narrow_(options_.image.values.begin(), options_.image.values.end()) {}

  [[nodiscard]] std::string_view name() const noexcept override { return mean_transform().name; }
  [[nodiscard]] std::string options() const override { return options_.text; }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_pixel_type(from, stream);
    const MeanImage& mean = options_.image;
    const auto fits = [](std::int64_t extent, std::int64_t of_mean) {
      return extent == Shape::kVariable || extent == of_mean;
    };
    if (!fits(from.height, mean.height) || !fits(from.width, mean.width) ||
        !fits(from.channels, mean.channels)) {
      refuse_stream(stream, "have images of " + of_file());
    }
    return {.type = floating_type(options_.dtype, from.type),
            .height = mean.height,
            .width = mean.width,
            .channels = mean.channels};
  }
  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    made.height = options_.image.height;
    made.width = options_.image.width;
    made.channels = options_.image.channels;
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(draws);
    const MeanImage& mean = options_.image;
    if (form.height != mean.height || form.width != mean.width || form.channels != mean.channels) {
      throw ImageRefused{.expected = "images of " + of_file(),
                         .found = formatted("one of {} x {} x {} (height x width x channels)",
                                            form.height, form.width, form.channels),
                         .is_data = false};
    }
    ImageForm made = form;
    made.type = floating_type(options_.dtype, form.type);
    steps.push_back({.made = made, .operation = this});
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    static_cast<void>(step);
    if (to.type == ElementType::f32) {
      subtract_from(from, narrow_.data(), to.view<float>());
    } else {
      subtract_from(from, options_.image.values.data(), to.view<double>());
    }
  }

 private:
  [[nodiscard]] std::string of_file() const {
    const MeanImage& mean = options_.image;
    return formatted("{} x {} x {} (height x width x channels), as {} has", mean.height, mean.width,
                     mean.channels, options_.file_name);
  }

  template <typename To>
  static void subtract_from(const AnyPixels& from, const To* mean, const PixelView<To>& to) {
    if (from.type == ElementType::u8) {
      subtract(from.view<std::uint8_t>(), mean, to);
    } else if (from.type == ElementType::f32) {
      subtract(from.view<float>(), mean, to);
    } else {
      subtract(from.view<double>(), mean, to);
    }
  }

  template <typename From, typename To>
  static void subtract(const PixelView<From>& from, const To* mean, const PixelView<To>& to) {
    const std::int64_t row_size = from.width * from.channels;
    for (std::int64_t y = 0; y < from.height; ++y, mean += row_size) {
      const From* const source = from.row(y);
      To* const out = to.row(y);
      for (std::int64_t i = 0; i < row_size; ++i) out[i] = static_cast<To>(source[i]) - mean[i];
    }
  }

  MeanOptions options_;
  std::vector<float> narrow_;  // values of the mean, as f32
};

constexpr std::array<TransformOption, 4> kMeanOptions = {{
    {.name = "file",
     .help = "the mean image, an XML file of OpenCV, as CNTK takes it; needed",
     .is_path = true},
    {.name = "layout",
     .default_text = "interleaved",
     .help = "of the file: interleaved (blue, green, red of each pixel), or planes (red first)"},
    {.name = "color", .default_text = "rgb", .help = "the channels of the images: rgb or bgr"},
    kDtypeOption,
}};

// Returns the values of the file in the layout of the images.
std::vector<double> in_order(const MeanImage& mean, bool has_planes, bool is_rgb) {
  std::vector<double> values(mean.values.size());
  const std::int64_t plane = mean.height * mean.width;
  for (std::int64_t pixel = 0; pixel < plane; ++pixel) {
    for (std::int64_t c = 0; c < mean.channels; ++c) {
      // Planes come in the order red, green, blue; pixels in the order blue, green, red.
      const std::int64_t from = has_planes == is_rgb ? c : mean.channels - 1 - c;
      const std::int64_t at = has_planes ? from * plane + pixel : pixel * mean.channels + from;
      values[static_cast<std::size_t>(pixel * mean.channels + c)] =
          mean.values[static_cast<std::size_t>(at)];
    }
  }
  return values;
}

MeanImage parsed_mean(const std::string& text, const std::string& name) {
  const OpencvFile file(text, name);
  MeanImage mean{.height = file.whole("Row"),
                 .width = file.whole("Col"),
                 .channels = file.whole("Channel"),
                 .values = file.matrix("MeanImg").values};
  if (mean.height * mean.width * mean.channels != std::ssize(mean.values)) {
    throw ConfigError(formatted(
        "{}: expected {} values in MeanImg, as Row {}, Col {} and Channel {} say, found {}", name,
        mean.height * mean.width * mean.channels, mean.height, mean.width, mean.channels,
        mean.values.size()));
  }
  return mean;
}

std::shared_ptr<const Transform> make_mean(const TransformRequest& request) {
  constexpr std::string_view kLayouts[] = {"interleaved", "planes"};
  constexpr std::string_view kColors[] = {"rgb", "bgr"};
  const OptionValues values(mean_transform(), request);
  const bool has_planes = values.choice("layout", kLayouts) == 1;
  const bool is_rgb = values.choice("color", kColors) == 0;
  MeanOptions options{.dtype = image_dtype(values)};
  const std::string text = option_file_text(request, values);
  options.file_name = formatted("file={}", values.text("file"));
  options.image = parsed_mean(text, options.file_name);
  options.image.values = in_order(options.image, has_planes, is_rgb);
  // The text depends on the content of the file, not on its name.
  options.text = formatted("file={},layout={},color={}{}", to_string(key_of_text(text)),
                           has_planes ? "planes" : "interleaved", is_rgb ? "rgb" : "bgr",
                           dtype_text(options.dtype));
  return std::make_shared<const ImagePipeline>(std::make_shared<const Mean>(std::move(options)),
                                               request.streams);
}

}  // namespace

const TransformType& mean_transform() noexcept {
  static constexpr TransformType kType = {.name = "mean",
                                          .description = "pixels less those of a mean image",
                                          .use = TransformUse::each,
                                          .options = kMeanOptions,
                                          .make = make_mean};
  return kType;
}

}  // namespace sheaf::internal
