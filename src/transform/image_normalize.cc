// Computes (value / scale - mean) / standard deviation for each channel.
//
// The compiler must not fuse operations: src/CMakeLists.txt prevents it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

struct NormalizeOptions {
  std::vector<double> means;  // one for all channels, or one for each channel
  std::vector<double> deviations;
  double scale = 255;
  std::optional<ElementType> dtype;
};

std::string list_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ";") + number_text_of(number);
  return text;
}

class Normalize final : public ImageOperation {
 public:
  explicit Normalize(NormalizeOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const noexcept override {
    return normalize_transform().name;
  }
  [[nodiscard]] std::string options() const override {
    return formatted("mean={},std={},scale={}{}", list_text(options_.means),
                     list_text(options_.deviations), number_text_of(options_.scale),
                     dtype_text(options_.dtype));
  }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    require_pixel_type(from, stream);
    if (from.channels != Shape::kVariable) {
      require_channels("mean", options_.means, from.channels, stream);
      require_channels("std", options_.deviations, from.channels, stream);
    }
    ImageForm made = from;
    made.type = floating_type(options_.dtype, from.type);
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(draws);
    const std::size_t count = std::max(options_.means.size(), options_.deviations.size());
    if (count > 1 && static_cast<std::int64_t>(count) != form.channels) {
      throw ImageRefused{.expected = formatted("images of {} channels, as mean and std say", count),
                         .found = formatted("one of {}", form.channels),
                         .is_data = false};
    }
    ImageForm made = form;
    made.type = floating_type(options_.dtype, form.type);
    steps.push_back({.made = made, .operation = this});
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    static_cast<void>(step);
    if (to.type == ElementType::f32) {
      apply_from<float>(from, to);
    } else {
      apply_from<double>(from, to);
    }
  }

 private:
  static void require_channels(std::string_view name, const std::vector<double>& numbers,
                               std::int64_t channels, const Stream& stream) {
    if (numbers.size() == 1 || std::ssize(numbers) == channels) return;
    throw ConfigError(
        formatted("stream \"{}\" has images of {} channels: {} must have 1 or {} numbers, got {}",
                  stream.name, channels, name, channels, numbers.size()));
  }

  template <typename To>
  void apply_from(const AnyPixels& from, const AnyPixels& to) const {
    if (from.type == ElementType::u8) {
      apply_table<To>(from.view<std::uint8_t>(), to.view<To>());
    } else if (from.type == ElementType::f32) {
      apply_each(from.view<float>(), to.view<To>());
    } else {
      apply_each(from.view<double>(), to.view<To>());
    }
  }

  template <typename To>
  [[nodiscard]] To value_of(To value, std::int64_t channel) const {
    const auto of_channel = [&](const std::vector<double>& numbers) {
      return static_cast<To>(numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(channel)]);
    };
    const To scaled = value / static_cast<To>(options_.scale);
    return (scaled - of_channel(options_.means)) / of_channel(options_.deviations);
  }

  // Bytes have only 256 results in each channel.
  template <typename To>
  void apply_table(const PixelView<std::uint8_t>& from, const PixelView<To>& to) const {
    constexpr std::size_t kBytes = 256;
    std::vector<std::array<To, kBytes>> tables(static_cast<std::size_t>(from.channels));
    for (std::size_t c = 0; c < tables.size(); ++c) {
      for (std::size_t i = 0; i < kBytes; ++i) {
        tables[c][i] = value_of(static_cast<To>(i), static_cast<std::int64_t>(c));
      }
    }
    for (std::int64_t y = 0; y < from.height; ++y) {
      const std::uint8_t* source = from.row(y);
      To* out = to.row(y);
      if (tables.size() == 3) {  // lets the compiler unroll a loop of known length
        for (std::int64_t x = 0; x < from.width; ++x, source += 3, out += 3) {
          for (std::size_t c = 0; c < 3; ++c) out[c] = tables[c][source[c]];
        }
        continue;
      }
      for (std::int64_t x = 0; x < from.width; ++x) {
        for (const std::array<To, kBytes>& table : tables) *out++ = table[*source++];
      }
    }
  }

  template <typename From, typename To>
  void apply_each(const PixelView<From>& from, const PixelView<To>& to) const {
    for (std::int64_t y = 0; y < from.height; ++y) {
      const From* source = from.row(y);
      To* out = to.row(y);
      for (std::int64_t x = 0; x < from.width; ++x) {
        for (std::int64_t c = 0; c < from.channels; ++c) {
          *out++ = value_of(static_cast<To>(*source++), c);
        }
      }
    }
  }

  NormalizeOptions options_;
};

constexpr std::array<TransformOption, 4> kNormalizeOptions = {{
    {.name = "mean", .help = "one number for each channel, with ; between, or one for all; needed"},
    {.name = "std", .help = "the standard deviations, likewise; needed"},
    {.name = "scale", .default_text = "255", .help = "values are divided by this number first"},
    kDtypeOption,
}};

std::shared_ptr<const Transform> make_normalize(const TransformRequest& request) {
  constexpr double kScaleMin = 1e-30;
  constexpr double kScaleMax = 1e30;
  const OptionValues values(normalize_transform(), request);
  NormalizeOptions options{.means = image_numbers(values, "mean"),
                           .deviations = image_numbers(values, "std"),
                           .scale = values.number("scale", kScaleMin, kScaleMax),
                           .dtype = image_dtype(values)};
  for (const double deviation : options.deviations) {
    if (deviation >= kScaleMin) continue;
    throw ConfigError(formatted("std must be numbers above 0: got {}", number_text_of(deviation)));
  }
  if (options.means.size() > 1 && options.deviations.size() > 1 &&
      options.means.size() != options.deviations.size()) {
    throw ConfigError(formatted("mean and std must have equal numbers of numbers: got {} and {}",
                                options.means.size(), options.deviations.size()));
  }
  return std::make_shared<const ImagePipeline>(
      std::make_shared<const Normalize>(std::move(options)), request.streams);
}

}  // namespace

const TransformType& normalize_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "normalize",
      .description = "pixels less the mean of their channel, divided by its deviation",
      .use = TransformUse::each,
      .options = kNormalizeOptions,
      .make = make_normalize};
  return kType;
}

}  // namespace sheaf::internal
