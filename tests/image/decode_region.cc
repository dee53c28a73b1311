#include "image/decode_region.h"

#include <algorithm>
#include <cstdio>

#include "image/made_images.h"

namespace sheaf::internal {
namespace {

PixelRegion some_region(std::int64_t width, std::int64_t height, int number) {
  // A small generator, so that each run decodes the same regions.
  std::uint64_t state = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15 + 12345;
  const auto below = [&state](std::int64_t limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::int64_t>(state >> 33) % limit;
  };
  PixelRegion region{.x = below(width), .y = below(height)};
  region.width = 1 + below(width - region.x);
  region.height = 1 + below(height - region.y);
  if (number == 0) region = {.x = width - 1, .y = height - 1, .width = 1, .height = 1};
  if (number == 1) region = {.x = 0, .y = height / 2, .width = width, .height = 1};
  if (number == 2) region = {.x = width / 2, .y = 0, .width = 1, .height = height};
  return region;
}

std::string text_of(const PixelRegion& region) {
  return std::to_string(region.width) + " x " + std::to_string(region.height) + " at " +
         std::to_string(region.x) + ", " + std::to_string(region.y);
}

}  // namespace

Decoded decode_region(const std::string& bytes, const ImageHeader& header,
                      const DecodeRequest& request) {
  Decoded decoded;
  const std::int64_t channels = request.color == ImageColor::grey ? 1 : 3;
  const PixelRegion& region = request.region;
  decoded.pixels.resize(static_cast<std::size_t>(region.width * region.height * channels));
  ImageDecoder decoder;
  decoded.is_right = decoder.decode(bytes_of(bytes), header, request,
                                    {.values = decoded.pixels.data(),
                                     .width = region.width,
                                     .height = region.height,
                                     .channels = channels,
                                     .row_stride = region.width * channels},
                                    decoded.problem, decoded.warnings);
  return decoded;
}

Decoded decode_whole(const std::string& bytes, DecodeRequest request) {
  Decoded decoded;
  ImageHeader header;
  if (!read_image_header(bytes_of(bytes), header, decoded.problem)) return decoded;
  const std::int64_t reduction = request.reduction;
  request.region = {.width = (header.width() + reduction - 1) / reduction,
                    .height = (header.height() + reduction - 1) / reduction};
  return decode_region(bytes, header, request);
}

std::string broken_region_law(const std::string& bytes, DecodeRequest request, int count) {
  ImageHeader header;
  ImageProblem problem;
  if (!read_image_header(bytes_of(bytes), header, problem)) return problem.found;
  const std::int64_t width = (header.width() + request.reduction - 1) / request.reduction;
  const std::int64_t height = (header.height() + request.reduction - 1) / request.reduction;
  const Decoded whole = decode_whole(bytes, request);
  if (!whole.is_right) return whole.problem.found;
  const std::int64_t channels = request.color == ImageColor::grey ? 1 : 3;
  for (int number = 0; number < count; ++number) {
    request.region = some_region(width, height, number);
    const PixelRegion& region = request.region;
    const Decoded part = decode_region(bytes, header, request);
    if (!part.is_right) return text_of(region) + ": " + part.problem.found;
    const std::int64_t size = region.width * channels;
    for (std::int64_t y = 0; y < region.height; ++y) {
      const auto row = whole.pixels.begin() + ((region.y + y) * width + region.x) * channels;
      if (!std::equal(row, row + size, part.pixels.begin() + y * size)) {
        return text_of(region) + ": row " + std::to_string(y) + " differs";
      }
    }
  }
  return "";
}

std::string hash_of(const std::vector<std::uint8_t>& pixels) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const std::uint8_t byte : pixels) value = (value ^ byte) * 0x100000001B3;
  std::string text(17, '\0');
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  text.pop_back();
  return text;
}

}  // namespace sheaf::internal
