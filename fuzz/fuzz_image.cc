// The fuzz target of encoded images. For any bytes, the header is read or refused. A region is
// decoded like the same part of the whole image, or refused.
//
// An input has kControlBytes and then an image:
//
//   colour, rules      two bits and one bit
//   reduction          1, 2 or 4
//   x, y, extents      four bytes: the region in 256ths of the image

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "image/image_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sheaf::internal {
namespace {

constexpr std::size_t kControlBytes = 6;
constexpr std::int64_t kPixelsMax = 1 << 18;

struct Result {
  bool is_right = false;
  std::vector<std::uint8_t> pixels;
};

void require(bool is_kept, const char* law) {
  if (is_kept) return;
  std::fprintf(stderr, "fuzz_image: %s\n", law);
  std::abort();
}

Result decode(std::span<const std::byte> bytes, const ImageHeader& header,
              const DecodeRequest& request) {
  const std::int64_t channels = request.color == ImageColor::grey ? 1 : 3;
  const PixelRegion& region = request.region;
  Result result;
  result.pixels.resize(static_cast<std::size_t>(region.width * region.height * channels));
  ImageDecoder decoder;
  ImageProblem problem;
  std::vector<ImageProblem> warnings;
  result.is_right = decoder.decode(bytes, header, request,
                                   {.values = result.pixels.data(),
                                    .width = region.width,
                                    .height = region.height,
                                    .channels = channels,
                                    .row_stride = region.width * channels},
                                   problem, warnings);
  require(result.is_right || !problem.found.empty(), "a problem says what was found");
  require(problem.offset >= 0 && problem.offset <= static_cast<std::int64_t>(bytes.size()),
          "the place of a problem lies in the image");
  return result;
}

/// Returns a part of [0, extent) with at least one pixel.
std::array<std::int64_t, 2> part_of(std::int64_t extent, std::uint8_t begin, std::uint8_t size) {
  const std::int64_t first = std::min(extent - 1, extent * begin / 256);
  return {first, std::clamp<std::int64_t>((extent - first) * (size + 1) / 256, 1, extent - first)};
}

void check_input(const std::uint8_t* data, std::size_t size) {
  if (size < kControlBytes) return;
  const auto bytes = std::as_bytes(std::span(data + kControlBytes, size - kControlBytes));
  ImageHeader header;
  ImageProblem problem;
  if (!read_image_header(bytes, header, problem)) {
    require(!problem.expected.empty(), "a problem says what was expected");
    require(problem.offset <= static_cast<std::int64_t>(bytes.size()), "it lies in the image");
    return;
  }
  require(header.stored_width >= 1 && header.stored_height >= 1, "extents are 1 or more");
  if (header.stored_width > kPixelsMax / header.stored_height) return;
  DecodeRequest request;
  request.color = std::array{ImageColor::rgb, ImageColor::bgr, ImageColor::grey}[data[0] % 3];
  request.rules = (data[0] & 0x80) != 0 ? ImageRules::opencv : ImageRules::pillow;
  if (header.format == ImageFormat::jpeg) request.reduction = 1 << data[1] % 3;
  const std::int64_t width = (header.width() + request.reduction - 1) / request.reduction;
  const std::int64_t height = (header.height() + request.reduction - 1) / request.reduction;
  request.region = {.width = width, .height = height};
  const Result whole = decode(bytes, header, request);
  const auto [x, part_width] = part_of(width, data[2], data[4]);
  const auto [y, part_height] = part_of(height, data[3], data[5]);
  request.region = {.x = x, .y = y, .width = part_width, .height = part_height};
  const Result part = decode(bytes, header, request);
  // The decoder need not notice damage below a region, so a region may decode although the image
  // does not.
  if (!whole.is_right) return;
  require(part.is_right, "a region of a right image is right");
  const std::int64_t channels = request.color == ImageColor::grey ? 1 : 3;
  for (std::int64_t row = 0; row < part_height; ++row) {
    const auto from = whole.pixels.begin() + ((y + row) * width + x) * channels;
    const auto to = part.pixels.begin() + row * part_width * channels;
    require(std::equal(to, to + part_width * channels, from), "a region is that of the whole");
  }
}

}  // namespace
}  // namespace sheaf::internal

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sheaf::internal::check_input(data, size);
  return 0;
}
