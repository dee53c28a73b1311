// Refuses images of another size than the first image of a run.

#include <memory>
#include <string>

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

/// Draws the height and the width of the first image.
class SameSize final : public ImageOperation {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return same_size_transform().name;
  }
  [[nodiscard]] std::string options() const override { return {}; }
  [[nodiscard]] std::optional<std::uint32_t> ordered_seed() const noexcept override { return 0; }
  [[nodiscard]] bool remembers_size() const noexcept override { return true; }
  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    static_cast<void>(stream);
    return from;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(steps);
    const std::int64_t height = draws.whole(form.height);
    const std::int64_t width = draws.whole(form.width);
    if (form.height == height && form.width == width) return;
    throw ImageRefused{.expected = formatted("images of {} x {} (height x width), as the first one",
                                             height, width),
                       .found = formatted("one of {} x {}; resize makes all images equally large",
                                          form.height, form.width),
                       .is_data = false};
  }
};

}  // namespace

const TransformType& same_size_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "same_size",
      .description = "refuses images of another size than the first one",
      .use = TransformUse::each,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(same_size_transform(), request));
        return std::make_shared<const ImagePipeline>(std::make_shared<const SameSize>(),
                                                     request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
