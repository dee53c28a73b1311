/// \file
/// Encoded images to pixels.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "image/image_header.h"
#include "image/pixels.h"

namespace sheaf::internal {

/// The channels that a decoder makes, in their order.
enum class ImageColor : std::uint8_t { rgb, bgr, grey };

/// Whose rules decide where decoders differ: how CMYK becomes RGB, and colour grey.
enum class ImageRules : std::uint8_t { pillow, opencv };

/// Takes the rows of an image while it is decoded.
class RowBands {
 public:
  RowBands() = default;
  RowBands(const RowBands&) = delete;
  RowBands& operator=(const RowBands&) = delete;
  virtual ~RowBands() = default;

  /// Takes `count` rows of the region, from row `first` on. They are the first rows of the pixels.
  virtual void take(std::int64_t first, std::int64_t count) = 0;
};

/// The most rows of a band.
inline constexpr std::int64_t kBandRows = 16;

struct DecodeRequest {
  ImageColor color = ImageColor::rgb;
  ImageRules rules = ImageRules::pillow;

  /// 1, 2 or 4: JPEG images are decoded at 1/reduction of their size, extents rounded up, which is
  /// faster and gives other pixels than a resize. Other formats take 1 alone.
  int reduction = 1;

  /// Which pixels to make: of the reduced image, after its orientation is applied.
  PixelRegion region = {};

  /// How many pixels a decoder may write before and behind each row of the result. With
  /// kDecodeMargin most parts of JPEG images are decoded to their place, without a copy.
  std::int64_t margin = 0;

  /// Takes the region in bands, from top to bottom; null: it is decoded as a whole. Then the pixels
  /// have kBandRows rows, which each band overwrites.
  RowBands* bands = nullptr;
};

/// The pixels beside a part of a JPEG image that are decoded with it.
inline constexpr std::int64_t kDecodeMargin = 24;

/// Whether this sheaf was built with the component `images`: without it there is no decoder.
[[nodiscard]] bool has_image_decoders() noexcept;

/// Returns whether an image can be decoded in bands: JPEG that is stored upright.
[[nodiscard]] bool has_bands(const ImageHeader& header) noexcept;

/// Decodes images: JPEG with libjpeg-turbo, PNG with libpng, WebP with libwebp. Always the accurate
/// integer DCT, so that all machines make the same pixels. Alpha is dropped, 16 bits become the
/// upper 8. Grey is the luma plane of JPEG. libjpeg-turbo takes extents up to 65,500, libwebp up to
/// 16,383.
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

  /// Decodes the pixels of `request.region` into `pixels`, which has its extents and 1 or 3
  /// channels.
  ///
  /// Returns false, and sets `problem`, where the image cannot be decoded as a whole: damaged or
  /// cut bytes never give part of an image. Appends to `warnings` what a decoder finds strange in
  /// an image that it can decode, such as bytes between two segments.
  ///
  /// A region fails where the image is cut, wherever that is. Damage in the rows below a region is
  /// found in PNG (by the check sums of its chunks) and in progressive JPEG, but not in baseline
  /// JPEG and WebP, whose rows below the region are left alone. Reading the whole image finds it.
  ///
  /// Memory: a few rows of the image; besides, all coefficients of a progressive JPEG, the rows of
  /// the region for an interlaced PNG, and for WebP what libwebp takes and the region once more.
  ///
  /// Pre: `header` is the header of `bytes`; the region lies in the reduced image; with bands,
  ///      has_bands(header).
  [[nodiscard]] bool decode(std::span<const std::byte> bytes, const ImageHeader& header,
                            const DecodeRequest& request, const PixelView<std::uint8_t>& pixels,
                            ImageProblem& problem, std::vector<ImageProblem>& warnings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
