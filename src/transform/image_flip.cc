// Mirrors images.

#include <array>
#include <memory>
#include <string>

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

class Flip final : public ImageOperation {
 public:
  Flip(bool is_vertical, double probability)
      : is_vertical_(is_vertical), probability_(probability) {}

  [[nodiscard]] std::string_view name() const noexcept override { return flip_transform().name; }
  [[nodiscard]] std::string options() const override {
    return formatted("axis={},probability={}", is_vertical_ ? "vertical" : "horizontal",
                     number_text_of(probability_));
  }
  [[nodiscard]] bool is_random() const noexcept override {
    return probability_ > 0 && probability_ < 1;
  }
  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    static_cast<void>(stream);
    return from;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    if (draws.real(0, 1) >= probability_) return;
    steps.push_back({.kind = ImageStep::Kind::mirror, .made = form, .is_vertical = is_vertical_});
  }

 private:
  bool is_vertical_;
  double probability_;
};

constexpr std::array<TransformOption, 2> kFlipOptions = {{
    {.name = "axis",
     .default_text = "horizontal",
     .help = "horizontal: left and right change places; vertical: top and bottom"},
    {.name = "probability", .default_text = "0.5", .help = "how many images are mirrored, 0 to 1"},
}};

}  // namespace

const TransformType& flip_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "flip",
      .description = "mirrors images at random",
      .use = TransformUse::each,
      .options = kFlipOptions,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        constexpr std::string_view kAxes[] = {"horizontal", "vertical"};
        const OptionValues values(flip_transform(), request);
        return std::make_shared<const ImagePipeline>(
            std::make_shared<const Flip>(values.choice("axis", kAxes) == 1,
                                         values.number("probability", 0, 1)),
            request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
