/// \file
/// Decodes images to pixels.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "image/image_header.h"
#include "image/pixels.h"

namespace sheaf::internal {

/// The channels that a decoder makes, in order.
enum class ImageColor : std::uint8_t { rgb, bgr, grey };

/// Whose rules apply where decoders differ: in the conversion of CMYK to RGB, and of color to grey.
enum class ImageRules : std::uint8_t { pillow, opencv };

/// Receives an image band by band while it is decoded. A band is some consecutive rows of pixels.
class RowBands {
 public:
  RowBands() = default;
  RowBands(const RowBands&) = delete;
  RowBands& operator=(const RowBands&) = delete;
  virtual ~RowBands() = default;

  /// Takes `count` rows of the region, from row `first` on. They are in the first rows of the
  /// pixels.
  virtual void take(std::int64_t first, std::int64_t count) = 0;
};

/// The largest number of rows of a band.
inline constexpr std::int64_t kBandRows = 16;

struct DecodeRequest {
  ImageColor color = ImageColor::rgb;
  ImageRules rules = ImageRules::pillow;

  /// 1, 2 or 4. JPEG images are decoded at 1/reduction of their size, with extents rounded up. This
  /// is faster than a resize, and gives different pixels. Other formats support only 1.
  int reduction = 1;

  /// The pixels to make: a region of the reduced image, after its orientation is applied.
  PixelRegion region = {};

  /// How many pixels a decoder may write before and behind each row of the result. With
  /// kDecodeMargin, most parts of JPEG images are decoded in place, without a copy.
  std::int64_t margin = 0;

  /// Receives the region in bands, from top to bottom. The pixels then have kBandRows rows, which
  /// each band overwrites. Null: the region is decoded as a whole.
  RowBands* bands = nullptr;
};

/// The number of pixels next to a part of a JPEG image that are decoded with it.
inline constexpr std::int64_t kDecodeMargin = 24;

/// Returns whether this sheaf was built with the component `images`. Without it there is no
/// decoder.
[[nodiscard]] bool has_image_decoders() noexcept;

/// Returns whether an image can be decoded in bands: a JPEG image that is stored upright.
[[nodiscard]] bool has_bands(const ImageHeader& header) noexcept;

/// Decodes images: JPEG with libjpeg-turbo, PNG with libpng, WebP with libwebp. Always uses the
/// accurate integer DCT, so that all machines make the same pixels. Alpha is dropped, and of 16
/// bits the upper 8 are kept. Grey is the luma plane of JPEG. libjpeg-turbo supports extents up to
/// 65,500, libwebp up to 16,383.
///
/// Prints nothing. Keeps its memory between images.
///
/// Threads: one call at a time.
class ImageDecoder {
 public:
  ImageDecoder();
  ~ImageDecoder();
  ImageDecoder(ImageDecoder&&) noexcept;
  ImageDecoder& operator=(ImageDecoder&&) noexcept;

  /// Decodes the pixels of `request.region` into `pixels`, which has the extents of the region, and
  /// 1 or 3 channels.
  ///
  /// Returns false and sets `problem` if the image cannot be decoded completely. Damaged or cut
  /// bytes never give a part of an image. Appends warnings to `warnings` about oddities in images
  /// that can be decoded, such as bytes between two segments.
  ///
  /// A cut image fails for any region. Damage below the region is found in PNG (by the checksums of
  /// its chunks) and in progressive JPEG. It is not found in baseline JPEG and WebP, which are not
  /// decoded below the region. Reading the whole image finds such damage.
  ///
  /// Memory: a few rows of pixels. In addition, all coefficients of a progressive JPEG image, the
  ///         rows of the region for an interlaced PNG image, and for WebP the memory of libwebp and
  ///         a copy of the region.
  /// Pre:    `header` is the header of `bytes`; the region lies in the reduced image; with bands,
  ///         has_bands(header).
  [[nodiscard]] bool decode(std::span<const std::byte> bytes, const ImageHeader& header,
                            const DecodeRequest& request, const PixelView<std::uint8_t>& pixels,
                            ImageProblem& problem, std::vector<ImageProblem>& warnings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
