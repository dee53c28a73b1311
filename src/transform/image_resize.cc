// Resizes images.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_filter.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

enum class ResizeMode : std::uint8_t { fill, crop, pad };
constexpr std::array<std::string_view, 3> kResizeModes = {"fill", "crop", "pad"};

struct ResizeOptions {
  ImageSize size = {};
  bool is_shorter_side = false;  // whether the size applies to the shorter side
  ResizeMode mode = ResizeMode::fill;
  ImageFilter filter = {};
  std::int64_t pad_value = -1;
  std::int64_t channels = 0;  // 0: any
};

class Resize final : public ImageOperation {
 public:
  explicit Resize(const ResizeOptions& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const noexcept override { return resize_transform().name; }

  [[nodiscard]] std::string options() const override {
    std::string text = options_.is_shorter_side ? formatted("size={}", options_.size.height)
                                                : formatted("size={}", to_string(options_.size));
    text += formatted(",mode={},{}", kResizeModes[static_cast<std::size_t>(options_.mode)],
                      to_string(options_.filter));
    if (options_.mode == ResizeMode::pad) text += formatted(",pad_value={}", options_.pad_value);
    if (options_.channels > 0) text += formatted(",channels={}", options_.channels);
    return text;
  }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_filtered(options_.filter, from, stream);
    if (options_.channels > 0 && from.channels != Shape::kVariable) {
      if (from.channels != options_.channels) {
        throw ConfigError(formatted("stream \"{}\" must have images of {} channels: got {}",
                                    stream.name, options_.channels, from.channels));
      }
    }
    ImageForm made = from;
    if (options_.channels > 0) made.channels = options_.channels;
    if (!options_.is_shorter_side) {
      made.height = options_.size.height;
      made.width = options_.size.width;
    } else if (from.height != Shape::kVariable && from.width != Shape::kVariable) {
      const ImageSize size = size_by_shorter_side(from);
      made.height = size.height;
      made.width = size.width;
    } else {
      made.height = made.width = Shape::kVariable;
    }
    return made;
  }

  // The longer side of an image has no limit, unless both sides of all images are known.
  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    made.height = made.width = Shape::kVariable;
    if (!options_.is_shorter_side) {
      made.height = options_.size.height;
      made.width = options_.size.width;
    }
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(draws);
    if (options_.channels > 0 && form.channels != options_.channels) {
      throw ImageRefused{.expected = formatted("an image of {} channels", options_.channels),
                         .found = formatted("one of {}", form.channels)};
    }
    if (options_.is_shorter_side) {
      const ImageSize size = size_by_shorter_side(form);
      plan_resize(options_.filter, form, size.height, size.width, steps);
      return;
    }
    ImageForm made = form;
    const ImageSize& target = options_.size;
    made.height = target.height;
    made.width = target.width;
    if (options_.mode == ResizeMode::fill) {
      plan_resize(options_.filter, form, target.height, target.width, steps);
      return;
    }
    const ImageSize size = size_within(form);
    plan_resize(options_.filter, form, size.height, size.width, steps);
    if (size.height == target.height && size.width == target.width) return;
    const bool is_crop = options_.mode == ResizeMode::crop;
    ImageStep step{.kind = is_crop ? ImageStep::Kind::cut : ImageStep::Kind::pad,
                   .made = made,
                   .pad_value = options_.pad_value};
    if (is_crop) {
      step.region = {.x = (size.width - target.width) / 2,
                     .y = (size.height - target.height) / 2,
                     .width = target.width,
                     .height = target.height};
    } else {
      step.region = {.x = (target.width - size.width) / 2,
                     .y = (target.height - size.height) / 2,
                     .width = size.width,
                     .height = size.height};
    }
    steps.push_back(step);
  }

 private:
  // As in torchvision, the longer side is rounded down.
  [[nodiscard]] ImageSize size_by_shorter_side(const ImageForm& form) const {
    const std::int64_t side = options_.size.height;
    const std::int64_t shorter = std::min(form.height, form.width);
    const std::int64_t longer = std::max(form.height, form.width);
    const std::int64_t scaled = side * longer / shorter;
    return form.height <= form.width ? ImageSize{.height = side, .width = scaled}
                                     : ImageSize{.height = scaled, .width = side};
  }

  // Returns the size with the aspect ratio of the image that covers the target (`crop`) or fits
  // into it (`pad`). As in CNTK, `crop` scales the shorter side of the image to the target, and
  // `pad` the longer side. If the other side does not fit then, it is scaled to the target instead.
  [[nodiscard]] ImageSize size_within(const ImageForm& form) const {
    const ImageSize& target = options_.size;
    const bool is_crop = options_.mode == ResizeMode::crop;
    const bool by_width = is_crop ? form.width < form.height : form.width > form.height;
    const ImageSize size = size_by(form, by_width);
    const bool fits = is_crop ? size.width >= target.width && size.height >= target.height
                              : size.width <= target.width && size.height <= target.height;
    return fits ? size : size_by(form, !by_width);
  }

  // Returns the size of an image whose width or height is scaled to the target.
  [[nodiscard]] ImageSize size_by(const ImageForm& form, bool by_width) const {
    const ImageSize& target = options_.size;
    const auto scaled = [](std::int64_t extent, std::int64_t target_side, std::int64_t side) {
      const double exact = static_cast<double>(extent * target_side) / static_cast<double>(side);
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(exact + 0.5)));
    };
    if (by_width) {
      return {.height = scaled(form.height, target.width, form.width), .width = target.width};
    }
    return {.height = target.height, .width = scaled(form.width, target.height, form.height)};
  }

  ResizeOptions options_;
};

constexpr std::array<TransformOption, 6> kResizeOptions = {{
    {.name = "size", .help = "pixels: N for the shorter side, or HEIGHTxWIDTH; needed"},
    {.name = "mode",
     .default_text = "fill",
     .help = "for HEIGHTxWIDTH: fill changes the proportions, crop cuts, pad adds a border"},
    kFilterOption,
    kAntialiasOption,
    {.name = "pad_value",
     .default_text = "-1",
     .help = "the value of the border: -1 repeats the edge; 0 to 255"},
    {.name = "channels", .help = "the number of channels; other images are refused"},
}};

std::shared_ptr<const Transform> make_resize(const TransformRequest& request) {
  constexpr std::int64_t kValueMax = 255;
  constexpr std::int64_t kChannelsMax = 1024;
  const OptionValues values(resize_transform(), request);
  ResizeOptions options{.size = image_size(values, "size")};
  options.is_shorter_side = values.text("size").find('x') == std::string_view::npos;
  options.mode = static_cast<ResizeMode>(values.choice("mode", kResizeModes));
  if (options.is_shorter_side && options.mode != ResizeMode::fill) {
    throw ConfigError(
        formatted("mode={} needs a size of HEIGHTxWIDTH, such as 224x224: got size={}",
                  kResizeModes[static_cast<std::size_t>(options.mode)], options.size.height));
  }
  options.filter = image_filter(values);
  options.pad_value = values.integer("pad_value", -1, kValueMax);
  if (values.has("pad_value") && options.mode != ResizeMode::pad) {
    throw ConfigError("pad_value goes with mode=pad alone");
  }
  if (values.has("channels")) options.channels = values.integer("channels", 1, kChannelsMax);
  return std::make_shared<const ImagePipeline>(std::make_shared<const Resize>(options),
                                               request.streams);
}

}  // namespace

const TransformType& resize_transform() noexcept {
  static constexpr TransformType kType = {.name = "resize",
                                          .description = "images of another size",
                                          .use = TransformUse::each,
                                          .options = kResizeOptions,
                                          .make = make_resize};
  return kType;
}

}  // namespace sheaf::internal
