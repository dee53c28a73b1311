#include "image/image_decoder.h"

#include <cassert>

#include "image/codec.h"
#include "image/oriented_pixels.h"

namespace sheaf::internal {

struct ImageDecoder::State {
  CodecMemory memory;
};

ImageDecoder::ImageDecoder() : state_(std::make_unique<State>()) {}
ImageDecoder::~ImageDecoder() = default;
ImageDecoder::ImageDecoder(ImageDecoder&&) noexcept = default;
ImageDecoder& ImageDecoder::operator=(ImageDecoder&&) noexcept = default;

bool has_bands(const ImageHeader& header) noexcept {
  return header.format == ImageFormat::jpeg && header.orientation == 1;
}

#ifdef SHEAF_IMAGES

bool has_image_decoders() noexcept { return true; }

bool ImageDecoder::decode(std::span<const std::byte> bytes, const ImageHeader& header,
                          const DecodeRequest& request, const PixelView<std::uint8_t>& pixels,
                          ImageProblem& problem, std::vector<ImageProblem>& warnings) {
  const auto reduced = [&](std::int64_t extent) {
    return (extent + request.reduction - 1) / request.reduction;
  };
  assert(request.reduction == 1 || header.format == ImageFormat::jpeg);
  assert(pixels.channels == (request.color == ImageColor::grey ? 1 : 3));
  assert(pixels.width == request.region.width);
  assert(pixels.height == (request.bands != nullptr ? kBandRows : request.region.height));
  assert(request.bands == nullptr || has_bands(header));
  assert(request.region.x >= 0 && request.region.y >= 0 && pixels.width >= 1 && pixels.height >= 1);
  assert(request.region.x + pixels.width <= reduced(header.width()));
  assert(request.region.y + request.region.height <= reduced(header.height()));

  const OrientedPixels oriented(pixels, header.orientation);
  const CodecTask task{.bytes = bytes,
                       .header = header,
                       .color = request.color,
                       .rules = request.rules,
                       .reduction = request.reduction,
                       .region = stored_region(request.region, reduced(header.stored_width),
                                               reduced(header.stored_height), header.orientation),
                       .margin = request.margin,
                       .bands = request.bands,
                       .pixels = oriented};
  const CodecFindings findings{.problem = problem, .warnings = warnings};
  switch (header.format) {
    case ImageFormat::jpeg:
      return decode_jpeg(task, state_->memory, findings);
    case ImageFormat::png:
      return decode_png(task, state_->memory, findings);
    case ImageFormat::webp:
      return decode_webp(task, state_->memory, findings);
  }
  return false;
}

#else

bool has_image_decoders() noexcept { return false; }

bool ImageDecoder::decode(std::span<const std::byte> /*bytes*/, const ImageHeader& header,
                          const DecodeRequest& /*request*/,
                          const PixelView<std::uint8_t>& /*pixels*/, ImageProblem& problem,
                          std::vector<ImageProblem>& /*warnings*/) {
  problem = {.offset = 0,
             .expected = "a sheaf with the component images",
             .found = std::string("a ") + name_of(header.format) +
                      " image, and a sheaf that was built without it (SHEAF_IMAGES=OFF)",
             .is_cut = false};
  return false;
}

#endif

}  // namespace sheaf::internal
