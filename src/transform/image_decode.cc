// Decodes images.

#include <array>
#include <limits>
#include <memory>

#include "sheaf/error.h"

#include "transform/image_pipeline.h"
#include "transform/option_values.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

constexpr std::array<TransformOption, 4> kDecodeOptions = {{
    {.name = "color", .default_text = "rgb", .help = "the channels: rgb, bgr or grey"},
    {.name = "mode",
     .default_text = "exact",
     .help = "fast: decode JPEG at 1/2 or 1/4 where a resize follows that shrinks as much"},
    {.name = "rules",
     .default_text = "pillow",
     .help = "whose grey and CMYK colors: pillow or opencv"},
    {.name = "pixels_max",
     .default_text = "178956970",
     .help = "the most pixels of an image: larger ones are wrong data"},
}};

std::shared_ptr<const Transform> make_decode(const TransformRequest& request) {
  constexpr std::string_view kColors[] = {"rgb", "bgr", "grey"};
  constexpr std::string_view kModes[] = {"exact", "fast"};
  constexpr std::string_view kRules[] = {"pillow", "opencv"};
  const OptionValues values(decode_transform(), request);
  const ImageDecoding decoding{
      .color = static_cast<ImageColor>(values.choice("color", kColors)),
      .rules = static_cast<ImageRules>(values.choice("rules", kRules)),
      .is_fast = values.choice("mode", kModes) == 1,
      .pixels_max = values.integer("pixels_max", 1, std::numeric_limits<std::int32_t>::max() / 3)};
  if (!has_image_decoders()) {
    throw ConfigError(
        "this sheaf was built without decoders of images (SHEAF_IMAGES=OFF): build it with "
        "-D SHEAF_IMAGES=ON, which needs libjpeg-turbo, libpng and libwebp");
  }
  return std::make_shared<const ImagePipeline>(decoding);
}

}  // namespace

const TransformType& decode_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "decode",
      .description = "the pixels of encoded images: JPEG, PNG, WebP",
      .use = TransformUse::each,
      .options = kDecodeOptions,
      .make = make_decode};
  return kType;
}

}  // namespace sheaf::internal
