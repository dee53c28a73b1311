/// \file
/// The operations that image transforms are made of. They plan without pixels first.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/transform.h"
#include "sheaf/types.h"

#include "image/pixels.h"
#include "image/resize.h"
#include "transform/image_draws.h"

namespace sheaf::internal {

/// The largest number of pixels of an image that an operation makes. Pillow has this limit.
inline constexpr std::int64_t kImagePixelsMax = 178956970;

/// The form of an image, which is known without its pixels. Before there are data, extents may be
/// Shape::kVariable.
struct ImageForm {
  ElementType type = ElementType::u8;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;

  /// Whether each channel is an image of its own: [C, H, W]. Otherwise the channels of a pixel are
  /// adjacent: [H, W, C].
  bool has_planes = false;

  [[nodiscard]] Shape shape() const;

  friend bool operator==(const ImageForm&, const ImageForm&) = default;
};

/// The pixels of an image whose type is known at run time. The channels of a pixel are adjacent.
///
/// Lifetime: that of the values.
struct AnyPixels {
  ElementType type = ElementType::u8;
  std::byte* values = nullptr;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t row_bytes = 0;  // distance between the beginnings of two rows of pixels

  [[nodiscard]] std::byte* row(std::int64_t y) const noexcept { return values + y * row_bytes; }

  /// Returns the image as values of type T.
  ///
  /// Pre: T is the type; the values are aligned for T.
  template <typename T>
  [[nodiscard]] PixelView<T> view() const noexcept {
    return {.values = reinterpret_cast<T*>(values),
            .width = width,
            .height = height,
            .channels = channels,
            .row_stride = row_bytes / static_cast<std::int64_t>(sizeof(T))};
  }
};

/// Returns a part of an image.
///
/// Pre: the region lies in the image.
[[nodiscard]] AnyPixels part_of(const AnyPixels& image, const PixelRegion& region) noexcept;

/// Copies an image into another one of the same form.
void copy_pixels(const AnyPixels& from, const AnyPixels& to) noexcept;

class ImageOperation;

/// A step of an operation on the pixels of an image. An operation is a list of steps.
struct ImageStep {
  enum class Kind : std::uint8_t { cut, mirror, resize, pad, other };
  Kind kind = Kind::other;
  ImageForm made = {};  // form after the step

  PixelRegion region = {};     // cut: the part to keep; pad: the region of the image
  bool is_vertical = false;    // mirror: swap top and bottom, not left and right
  bool has_antialias = false;  // resize: as Pillow with `filter`; false: as OpenCV
  ResizeFilter filter = ResizeFilter::bilinear;
  Interpolation interpolation = Interpolation::linear;
  std::int64_t pad_value = -1;  // pad: -1 repeats the border

  const ImageOperation* operation = nullptr;  // other: the operation that makes the pixels
  std::array<double, 3> numbers = {};         // other: the numbers that the operation drew
};

/// A function of one image, in two parts. plan() decides everything that needs no pixels, and
/// apply() makes the pixels. In between, steps of several operations can be merged.
///
/// Threads: all calls are safe from any number of threads.
class ImageOperation {
 public:
  virtual ~ImageOperation() = default;

  /// Returns the name of the transform; options() returns the options in the form of
  /// Transform::options().
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual std::string options() const = 0;

  /// Returns whether plan() draws.
  [[nodiscard]] virtual bool is_random() const noexcept { return false; }

  /// Returns the seed of a generator that continues from sequence to sequence. Returns nothing if
  /// each sequence has its own draws.
  [[nodiscard]] virtual std::optional<std::uint32_t> ordered_seed() const noexcept { return {}; }

  /// Returns whether the numbers that plan() draws are the height and the width of the first image
  /// of the run. If so, there is an ordered_seed().
  [[nodiscard]] virtual bool remembers_size() const noexcept { return false; }

  /// Returns whether the operation reads a number for each image. plan() gets the number.
  [[nodiscard]] virtual bool reads_number() const noexcept { return false; }

  /// Returns whether the images made have planes. If so, no operation may follow.
  [[nodiscard]] virtual bool makes_planes() const noexcept { return false; }

  /// Returns the form of the images made, as far as it is known without data.
  ///
  /// Pre: `from` has no planes.
  /// Throws: ConfigError that begins with the name of the stream.
  [[nodiscard]] virtual ImageForm form_after(const ImageForm& from, const Stream& stream) const = 0;

  /// Returns the largest extents, if form_after() leaves extents open. Extents that are open in
  /// `most` have no limit.
  [[nodiscard]] virtual ImageForm most_after(const ImageForm& most) const { return most; }

  /// Plans the operation for an image, and appends its steps.
  ///
  /// Pre: `form` has no variable extent, and no planes.
  /// Throws: ImageRefused for an image that the operation does not accept.
  virtual void plan(const ImageForm& form, double number, ImageDraws& draws,
                    std::vector<ImageStep>& steps) const = 0;

  /// Makes the pixels of a step of kind `other`. `from` and `to` do not overlap.
  virtual void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const;
};

/// Thrown for an image that an operation does not accept.
struct ImageRefused {
  std::string expected;
  std::string found;
  bool is_data = true;  // the image is wrong; false: the options do not fit the images
};

/// Throws: ImageRefused for an image with more than kImagePixelsMax pixels.
void require_pixels(double height, double width);

}  // namespace sheaf::internal
