#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <webp/decode.h>

#include "image/codec.h"
#include "image/color_rows.h"
#include "image/header_bytes.h"

namespace sheaf::internal {
namespace {

/// libwebp crops from even coordinates, and treats the border of the cropped part as the border of
/// an image when it interpolates chroma. So pixels next to the region are decoded, too.
constexpr std::int64_t kMargin = 4;

PixelRegion with_margin(const PixelRegion& region, const ImageHeader& header) {
  const auto widen = [](std::int64_t begin, std::int64_t size, std::int64_t extent) {
    const std::int64_t from = std::max<std::int64_t>(0, begin - kMargin) & ~std::int64_t{1};
    return std::pair(from, std::min(extent, begin + size + kMargin) - from);
  };
  const auto [x, width] = widen(region.x, region.width, header.stored_width);
  const auto [y, height] = widen(region.y, region.height, header.stored_height);
  return {.x = x, .y = y, .width = width, .height = height};
}

const char* text_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OK:
      return "no error";
    case VP8_STATUS_OUT_OF_MEMORY:
      return "no memory for the image";
    case VP8_STATUS_INVALID_PARAM:
      return "extents that do not fit";
    case VP8_STATUS_BITSTREAM_ERROR:
      return "damaged data";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "a feature that libwebp does not have";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "the end of the bytes";
    case VP8_STATUS_USER_ABORT:
      return "an end on request";
  }
  return "an unknown error";
}

bool fail(const CodecFindings& findings, std::size_t offset, const char* found, bool is_cut) {
  findings.problem = {.offset = static_cast<std::int64_t>(offset),
                      .expected = "a WebP image that libwebp decodes",
                      .found = found,
                      .is_cut = is_cut};
  return false;
}

/// Decodes `part` to `to`, which has three channels.
bool decode_part(const CodecTask& task, const PixelRegion& part, std::uint8_t* to,
                 const CodecFindings& findings) {
  WebPDecoderConfig config;
  const auto* data = reinterpret_cast<const std::uint8_t*>(task.bytes.data());
  if (WebPInitDecoderConfig(&config) == 0) {
    return fail(findings, 0, "another version of libwebp", /*is_cut=*/false);
  }
  const VP8StatusCode status = WebPGetFeatures(data, task.bytes.size(), &config.input);
  if (status != VP8_STATUS_OK) {
    return fail(findings, 0, text_of(status), status == VP8_STATUS_NOT_ENOUGH_DATA);
  }
  if (config.input.width != task.header.stored_width ||
      config.input.height != task.header.stored_height || config.input.has_animation != 0) {
    return fail(findings, 0, "extents that its header does not have", /*is_cut=*/false);
  }
  config.options.use_cropping = 1;
  config.options.crop_left = static_cast<int>(part.x);
  config.options.crop_top = static_cast<int>(part.y);
  config.options.crop_width = static_cast<int>(part.width);
  config.options.crop_height = static_cast<int>(part.height);
  // Grey is computed from RGB.
  config.output.colorspace = task.color == ImageColor::bgr ? MODE_BGR : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = to;
  config.output.u.RGBA.stride = static_cast<int>(part.width * 3);
  config.output.u.RGBA.size = static_cast<std::size_t>(part.width * part.height * 3);
  const VP8StatusCode result = WebPDecode(data, task.bytes.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (result == VP8_STATUS_OK) return true;
  const bool is_cut = result == VP8_STATUS_SUSPENDED || result == VP8_STATUS_NOT_ENOUGH_DATA;
  return fail(findings, is_cut ? task.bytes.size() : 0, text_of(result), is_cut);
}

}  // namespace

bool decode_webp(const CodecTask& task, CodecMemory& memory, const CodecFindings& findings) {
  const HeaderBytes bytes(task.bytes);
  // The decoder stops behind the last row of the region. An image that is cut there must fail, too.
  if (!bytes.has(0, 12) || !bytes.has(8, bytes.little(4, 4))) {
    return fail(findings, bytes.size(), "the end of the bytes", /*is_cut=*/true);
  }
  const PixelRegion part = with_margin(task.region, task.header);
  memory.row.resize(
      std::max(memory.row.size(), static_cast<std::size_t>(part.width * part.height * 3)));
  if (!decode_part(task, part, memory.row.data(), findings)) return false;
  for (std::int64_t y = 0; y < task.region.height; ++y) {
    std::uint8_t* row = memory.row.data() +
                        ((task.region.y - part.y + y) * part.width + (task.region.x - part.x)) * 3;
    if (task.color == ImageColor::grey) {
      convert_to_grey(row, task.region.width, task.rules, row);
    }
    task.pixels.put_row(y, row);
  }
  return true;
}

}  // namespace sheaf::internal
