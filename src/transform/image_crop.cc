// Crops images.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/stream_checks.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

enum class CropAt : std::uint8_t { center, random, views };

constexpr double kViewCount = 10;  // four corners and the center, then the same mirrored
constexpr double kAspectMin = 1e-6;
constexpr double kAspectMax = 1e6;
constexpr double kRatioMin = 1e-6;

struct CropOptions {
  CropAt at = CropAt::center;
  std::optional<ImageSize> size = {};
  std::optional<ImageRange> side = {};
  std::optional<ImageRange> area = {};
  ImageRange aspect = {.low = 1, .high = 1};
  bool jitters = false;
  bool flips = false;
  std::optional<std::uint32_t> ordered_seed = {};
};

std::int64_t half_up(double value) { return static_cast<std::int64_t>(std::floor(value + 0.5)); }

/// Cuts a window of a fixed size, or of a fraction of the side or of the area.
///
/// Draws, in this order: in each attempt the ratio, the aspect, and a coin that says which side is
/// longer; then x, y, and a coin for the mirror.
class Crop final : public ImageOperation {
 public:
  explicit Crop(const CropOptions& options) : options_(options) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return options_.at == CropAt::views ? crop_views_transform().name : crop_transform().name;
  }

  [[nodiscard]] std::string options() const override {
    std::string text;
    if (options_.size) text = formatted("size={},", to_string(*options_.size));
    if (options_.side) text += formatted("side_ratio={},", to_string(*options_.side));
    if (options_.area) text += formatted("area_ratio={},", to_string(*options_.area));
    const bool is_view = options_.at == CropAt::views;
    if (!options_.size && !(is_view && !is_size_random())) {
      text += formatted("aspect_ratio={},jitter={},", to_string(options_.aspect),
                        options_.jitters ? "uniform" : "none");
    }
    if (is_view) {
      if (is_random()) return text + draws_text(options_.ordered_seed);
      if (!text.empty()) text.pop_back();
      return text;
    }
    return text + formatted("at={},flip={},{}", options_.at == CropAt::center ? "center" : "random",
                            options_.flips, draws_text(options_.ordered_seed));
  }

  [[nodiscard]] bool is_random() const noexcept override {
    return options_.at == CropAt::random || options_.flips || is_size_random();
  }
  [[nodiscard]] std::optional<std::uint32_t> ordered_seed() const noexcept override {
    return options_.ordered_seed;
  }
  [[nodiscard]] bool reads_number() const noexcept override { return options_.at == CropAt::views; }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    static_cast<void>(stream);
    ImageForm made = from;
    made.height = known_extent(from.height, options_.size ? options_.size->height : 0);
    made.width = known_extent(from.width, options_.size ? options_.size->width : 0);
    return made;
  }

  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    if (!options_.size) return made;
    const auto limit = [](std::int64_t& extent, std::int64_t at_most) {
      extent = extent == Shape::kVariable ? at_most : std::min(extent, at_most);
    };
    limit(made.height, options_.size->height);
    limit(made.width, options_.size->width);
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    const ImageSize window = window_of(form, draws);
    const std::int64_t free_x = form.width - window.width;
    const std::int64_t free_y = form.height - window.height;
    PixelRegion region{
        .x = free_x / 2, .y = free_y / 2, .width = window.width, .height = window.height};
    bool flips = false;
    if (options_.at == CropAt::views) {
      const int view = view_of(number);
      const int corner = view % 5;
      if (corner < 4) {
        region.x = corner % 2 == 0 ? 0 : free_x;
        region.y = corner < 2 ? 0 : free_y;
      }
      flips = view >= 5;
    } else if (options_.at == CropAt::random) {
      region.x = draws.whole(free_x);
      region.y = draws.whole(free_y);
    }
    if (options_.flips) flips = draws.coin();
    ImageForm made = form;
    made.height = window.height;
    made.width = window.width;
    if (made != form) {
      steps.push_back({.kind = ImageStep::Kind::cut, .made = made, .region = region});
    }
    if (flips) steps.push_back({.kind = ImageStep::Kind::mirror, .made = made});
  }

 private:
  [[nodiscard]] bool is_size_random() const noexcept {
    if (options_.size) return false;
    if (options_.aspect.low != 1 || (options_.jitters && options_.aspect.high != 1)) return true;
    const auto varies = [](const std::optional<ImageRange>& range) {
      return range && range->low != range->high;
    };
    return options_.jitters && (varies(options_.side) || varies(options_.area));
  }

  [[nodiscard]] std::int64_t known_extent(std::int64_t from, std::int64_t size) const noexcept {
    if (!options_.size || from == Shape::kVariable) return Shape::kVariable;
    return std::min(from, size);
  }

  static int view_of(double number) {
    if (number >= 0 && number < kViewCount && number == std::floor(number)) {
      return static_cast<int>(number);
    }
    throw ImageRefused{.expected = "a number of a view, from 0 to 9",
                       .found = number_text_of(number),
                       .is_data = false};
  }

  [[nodiscard]] double jittered(const ImageRange& range, ImageDraws& draws) const {
    return options_.jitters ? draws.real(range.low, range.high) : range.low;
  }

  [[nodiscard]] ImageSize window_of(const ImageForm& form, ImageDraws& draws) const {
    if (options_.size) {
      return {.height = std::min(form.height, options_.size->height),
              .width = std::min(form.width, options_.size->width)};
    }
    constexpr int kAttempts = 10;
    const auto image_height = static_cast<double>(form.height);
    const auto image_width = static_cast<double>(form.width);
    std::int64_t height = form.height;
    std::int64_t width = form.width;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (options_.side) {
        const double shorter = std::min(image_height, image_width);
        height = width = half_up(shorter * jittered(*options_.side, draws));
      } else if (options_.area) {
        const double ratio = jittered(*options_.area, draws);
        height = width = half_up(std::sqrt(image_width * image_height * ratio));
      }
      const double aspect = jittered(options_.aspect, draws);
      if (aspect != 1) {
        const double area = static_cast<double>(width) * static_cast<double>(height);
        const auto longer = static_cast<std::int64_t>(std::sqrt(area * aspect));
        const auto other = static_cast<std::int64_t>(std::sqrt(area / aspect));
        const bool is_wide = draws.coin();
        width = is_wide ? longer : other;
        height = is_wide ? other : longer;
      }
      if (width <= form.width && height <= form.height) {
        return {.height = std::max<std::int64_t>(height, 1),
                .width = std::max<std::int64_t>(width, 1)};
      }
    }
    return {.height = form.height, .width = form.width};
  }

  CropOptions options_;
};

constexpr TransformOption kCropSizeOption = {
    .name = "size", .help = "pixels: N, or HEIGHTxWIDTH; smaller images stay"};
constexpr TransformOption kCropSideOption = {
    .name = "side_ratio", .help = "a part of the shorter side, 0 to 1: A, or MIN:MAX"};
constexpr TransformOption kCropAreaOption = {.name = "area_ratio",
                                             .help = "a part of the area, 0 to 1: A, or MIN:MAX"};
constexpr TransformOption kCropAspectOption = {
    .name = "aspect_ratio",
    .default_text = "1",
    .help = "the longer side by the shorter one, either of which may be the width: A, or MIN:MAX"};

constexpr TransformOption kCropJitterOption = {
    .name = "jitter",
    .default_text = "none",
    .help = "uniform: ratios between MIN and MAX; none: MIN"};

constexpr std::array<TransformOption, 9> kCropOptions = {{
    kCropSizeOption,
    kCropSideOption,
    kCropAreaOption,
    kCropAspectOption,
    kCropJitterOption,
    {.name = "at", .default_text = "center", .help = "center or random"},
    {.name = "flip", .default_text = "false", .help = "true: mirror half of the images"},
    kDrawsOption,
    kSeedOption,
}};

constexpr std::array<TransformOption, 8> kCropViewsOptions = {{
    {.name = "view",
     .help = "the stream with the number of the view, 0 to 9; needed",
     .is_stream = true},
    kCropSizeOption,
    kCropSideOption,
    kCropAreaOption,
    kCropAspectOption,
    kCropJitterOption,
    kDrawsOption,
    kSeedOption,
}};

// CNTK had ratios of 32 bits.
CropOptions crop_options(const OptionValues& values) {
  constexpr std::string_view kJitters[] = {"none", "uniform"};
  CropOptions options;
  options.aspect = float_range(values, "aspect_ratio", kAspectMin, kAspectMax);
  options.jitters = values.choice("jitter", kJitters) == 1;
  options.ordered_seed = draws_seed(values);
  const bool has_side = values.has("side_ratio");
  const bool has_area = values.has("area_ratio");
  if (has_side && has_area) throw ConfigError("area_ratio does not go with side_ratio");
  if (has_side) options.side = float_range(values, "side_ratio", kRatioMin, 1);
  if (has_area) options.area = float_range(values, "area_ratio", kRatioMin, 1);
  if (!values.has("size")) return options;
  for (const std::string_view name : {"side_ratio", "area_ratio", "aspect_ratio"}) {
    if (values.has(name)) throw ConfigError(formatted("{} does not go with size", name));
  }
  options.size = image_size(values, "size");
  if (options.jitters) throw ConfigError("jitter does not go with size");
  return options;
}

std::shared_ptr<const Transform> make_crop(const TransformRequest& request) {
  constexpr std::string_view kWords[] = {"center", "random"};
  const OptionValues values(crop_transform(), request);
  CropOptions options = crop_options(values);
  options.at = static_cast<CropAt>(values.choice("at", kWords));
  options.flips = values.flag("flip");
  if (options.at == CropAt::random && !options.size && !options.side && !options.area) {
    throw ConfigError("at=random needs one of size, side_ratio and area_ratio");
  }
  return std::make_shared<const ImagePipeline>(std::make_shared<const Crop>(options),
                                               request.streams);
}

std::shared_ptr<const Transform> make_crop_views(const TransformRequest& request) {
  const OptionValues values(crop_views_transform(), request);
  CropOptions options = crop_options(values);
  options.at = CropAt::views;
  return std::make_shared<const ImagePipeline>(std::make_shared<const Crop>(options),
                                               request.streams);
}

}  // namespace

const TransformType& crop_transform() noexcept {
  static constexpr TransformType kType = {.name = "crop",
                                          .description = "a part of each image",
                                          .use = TransformUse::each,
                                          .options = kCropOptions,
                                          .make = make_crop};
  return kType;
}

const TransformType& crop_views_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "crop_views",
      .description = "one of ten parts of an image: corners and centre, plain and mirrored",
      .use = TransformUse::each,
      .options = kCropViewsOptions,
      .make = make_crop_views};
  return kType;
}

}  // namespace sheaf::internal
