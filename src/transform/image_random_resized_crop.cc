// Crops a part of random size and aspect ratio, and resizes it to a fixed size.

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "base/text.h"
#include "transform/fixed_math.h"
#include "transform/image_filter.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

/// RandomResizedCrop of torchvision, with the numbers of a keyed generator.
///
/// Draws, in each attempt, the fraction of the area and the aspect ratio; then y and x.
class RandomResizedCrop final : public ImageOperation {
 public:
  RandomResizedCrop(const ImageSize& size, const ImageRange& scale, const ImageRange& ratio,
                    const ImageFilter& filter)
      : size_(size), scale_(scale), ratio_(ratio), filter_(filter) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return random_resized_crop_transform().name;
  }
  [[nodiscard]] std::string options() const override {
    return formatted("size={},scale={},ratio={},{}", to_string(size_), to_string(scale_),
                     to_string(ratio_), to_string(filter_));
  }
  [[nodiscard]] bool is_random() const noexcept override { return true; }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_filtered(filter_, from, stream);
    return most_after(from);
  }
  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    made.height = size_.height;
    made.width = size_.width;
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    const PixelRegion region = region_of(form, draws);
    ImageForm cut = form;
    cut.height = region.height;
    cut.width = region.width;
    if (cut != form) {
      steps.push_back({.kind = ImageStep::Kind::cut, .made = cut, .region = region});
    }
    plan_resize(filter_, cut, size_.height, size_.width, steps);
  }

 private:
  [[nodiscard]] PixelRegion region_of(const ImageForm& form, ImageDraws& draws) const {
    constexpr int kAttempts = 10;
    const double area = static_cast<double>(form.height) * static_cast<double>(form.width);
    const double low = fixed_log(ratio_.low);
    const double high = fixed_log(ratio_.high);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const double target = area * draws.real(scale_.low, scale_.high);
      const double ratio = fixed_exp(draws.real(low, high));
      const auto width = static_cast<std::int64_t>(std::nearbyint(std::sqrt(target * ratio)));
      const auto height = static_cast<std::int64_t>(std::nearbyint(std::sqrt(target / ratio)));
      if (width < 1 || width > form.width || height < 1 || height > form.height) continue;
      const std::int64_t y = draws.whole(form.height - height);
      const std::int64_t x = draws.whole(form.width - width);
      return {.x = x, .y = y, .width = width, .height = height};
    }
    return center_of(form);
  }

  // Returns the largest centered part whose aspect ratio is in the range.
  [[nodiscard]] PixelRegion center_of(const ImageForm& form) const {
    const auto image_height = static_cast<double>(form.height);
    const auto image_width = static_cast<double>(form.width);
    PixelRegion region{.width = form.width, .height = form.height};
    const auto side = [](double extent) {
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::nearbyint(extent)));
    };
    if (image_width / image_height < ratio_.low) {
      region.height = std::min(form.height, side(image_width / ratio_.low));
    } else if (image_width / image_height > ratio_.high) {
      region.width = std::min(form.width, side(image_height * ratio_.high));
    }
    region.y = (form.height - region.height) / 2;
    region.x = (form.width - region.width) / 2;
    return region;
  }

  ImageSize size_;
  ImageRange scale_;
  ImageRange ratio_;
  ImageFilter filter_;
};

constexpr std::array<TransformOption, 5> kRandomResizedCropOptions = {{
    {.name = "size", .help = "pixels of the result: N, or HEIGHTxWIDTH; needed"},
    {.name = "scale", .default_text = "0.08:1", .help = "the part of the area: MIN:MAX"},
    {.name = "ratio",
     .default_text = "0.75:1.3333333333333333",
     .help = "the width by the height, before the resize: MIN:MAX"},
    kFilterOption,
    kAntialiasOption,
}};

}  // namespace

const TransformType& random_resized_crop_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "random_resized_crop",
      .description = "a random part of each image, in one size, as torchvision has it",
      .use = TransformUse::each,
      .options = kRandomResizedCropOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        constexpr double kScaleMin = 1e-9;
        constexpr double kRatioMin = 1e-6;
        constexpr double kRatioMax = 1e6;
        const OptionValues values(random_resized_crop_transform(), request);
        return std::make_shared<const ImagePipeline>(
            std::make_shared<const RandomResizedCrop>(
                image_size(values, "size"), image_range(values, "scale", kScaleMin, 1),
                image_range(values, "ratio", kRatioMin, kRatioMax), image_filter(values)),
            request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
