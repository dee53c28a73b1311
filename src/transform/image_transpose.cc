// A plane of each channel.

#include <cstdint>
#include <memory>
#include <string>

#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

template <typename Value>
void to_planes(const AnyPixels& from, const AnyPixels& to) {
  auto* out = reinterpret_cast<Value*>(to.values);
  for (std::int64_t c = 0; c < from.channels; ++c) {
    for (std::int64_t y = 0; y < from.height; ++y) {
      const auto* source = reinterpret_cast<const Value*>(from.row(y)) + c;
      for (std::int64_t x = 0; x < from.width; ++x, source += from.channels) *out++ = *source;
    }
  }
}

class Transpose final : public ImageOperation {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return transpose_transform().name;
  }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] bool makes_planes() const noexcept override { return true; }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    static_cast<void>(stream);
    return most_after(from);
  }
  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    made.has_planes = true;
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(draws);
    steps.push_back({.made = most_after(form), .operation = this});
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    static_cast<void>(step);
    switch (element_size(from.type)) {
      case sizeof(std::uint8_t):
        return to_planes<std::uint8_t>(from, to);
      case sizeof(std::uint16_t):
        return to_planes<std::uint16_t>(from, to);
      case sizeof(std::uint32_t):
        return to_planes<std::uint32_t>(from, to);
      default:
        return to_planes<std::uint64_t>(from, to);
    }
  }
};

}  // namespace

const TransformType& transpose_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "transpose",
      .description = "images of [C, H, W] in place of [H, W, C]",
      .use = TransformUse::each,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(transpose_transform(), request));
        return std::make_shared<const ImagePipeline>(std::make_shared<const Transpose>(),
                                                     request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
