#include "image/image_header.h"

#include <cstring>
#include <string_view>

#include "image/exif.h"
#include "image/header_bytes.h"

namespace sheaf::internal {
namespace {

bool fail(ImageProblem& problem, std::size_t offset, std::string_view expected,
          std::string_view found) {
  problem = {.offset = static_cast<std::int64_t>(offset),
             .expected = std::string(expected),
             .found = std::string(found),
             .is_cut = false};
  return false;
}

bool cut(ImageProblem& problem, HeaderBytes bytes, std::string_view expected) {
  fail(problem, bytes.size(), expected, "the end of the bytes");
  problem.is_cut = true;
  return false;
}

std::string hexadecimal(unsigned value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'0', 'x', kDigits[value >> 4 & 15], kDigits[value & 15]};
}

// --- JPEG: a sequence of segments FF, code, length of two bytes, contents.

constexpr unsigned kStartOfScan = 0xDA;
constexpr unsigned kEndOfImage = 0xD9;
constexpr unsigned kApplication1 = 0xE1;
constexpr std::size_t kFrameSize = 8;  // bytes of a frame segment before its components

bool is_frame(unsigned code) {
  return code >= 0xC0 && code <= 0xCF && code != 0xC4 && code != 0xC8 && code != 0xCC;
}

/// Returns whether the marker has no length, and is allowed anywhere.
bool is_lone(unsigned code) { return code == 0x01 || (code >= 0xD0 && code <= 0xD7); }

bool read_frame(HeaderBytes bytes, std::size_t at, unsigned code, ImageHeader& header,
                ImageProblem& problem) {
  if (code > 0xC2 && code != 0xC9 && code != 0xCA) {
    return fail(problem, at, "a baseline, extended or progressive frame",
                "a frame of the kind " + hexadecimal(code));
  }
  if (!bytes.has(at + 2, kFrameSize)) return cut(problem, bytes, "the frame of the JPEG image");
  const std::uint64_t size = bytes.big(at + 2, 2);
  const std::uint64_t components = bytes.big(at + 9, 1);
  header.bit_depth = static_cast<int>(bytes.big(at + 4, 1));
  header.stored_height = static_cast<std::int64_t>(bytes.big(at + 5, 2));
  header.stored_width = static_cast<std::int64_t>(bytes.big(at + 7, 2));
  header.channels = static_cast<int>(components);
  if (header.bit_depth != 8) {
    return fail(problem, at + 4, "8 bits a channel", std::to_string(header.bit_depth));
  }
  if (header.stored_height == 0) return fail(problem, at + 5, "a height of 1 or more", "0");
  if (header.stored_width == 0) return fail(problem, at + 7, "a width of 1 or more", "0");
  if (components != 1 && components != 3 && components != 4) {
    return fail(problem, at + 9, "1, 3 or 4 components", std::to_string(components));
  }
  if (size != kFrameSize + 3 * components) {
    return fail(problem, at + 2,
                "a frame of " + std::to_string(kFrameSize + 3 * components) + " bytes",
                std::to_string(size));
  }
  return true;
}

bool read_jpeg_header(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  header.format = ImageFormat::jpeg;
  bool has_exif = false;
  for (std::size_t at = 2;;) {
    // Skips bytes before a marker, as libjpeg does. libjpeg warns of them.
    at = bytes.find(at, 0xFF);
    if (!bytes.has(at, 2)) return cut(problem, bytes, "the marker of a frame");
    const auto code = static_cast<unsigned>(bytes.big(at + 1, 1));
    if (code == 0xFF) {
      ++at;
      continue;
    }
    if (code == 0 || is_lone(code)) {
      at += 2;
      continue;
    }
    if (is_frame(code)) return read_frame(bytes, at, code, header, problem);
    if (code == kStartOfScan || code == kEndOfImage || code == 0xD8) {
      return fail(problem, at, "the marker of a frame", "the marker " + hexadecimal(code));
    }
    if (!bytes.has(at + 2, 2)) return cut(problem, bytes, "the length of a segment");
    const std::uint64_t size = bytes.big(at + 2, 2);
    if (size < 2) {
      return fail(problem, at + 2, "a segment of 2 bytes or more", std::to_string(size));
    }
    if (code == kApplication1 && !has_exif && bytes.starts_with(at + 4, "Exif")) {
      if (!bytes.has(at + 2, size)) return cut(problem, bytes, "the end of the EXIF segment");
      has_exif = true;
      header.orientation = orientation_of_exif(bytes.part(at + 4, size - 2));
    }
    at += 2 + static_cast<std::size_t>(size);
  }
}

// --- PNG: a sequence of chunks: length, type, contents, checksum.

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::uint64_t kPngSizeMax = 0x7FFF'FFFF;  // of extents and chunks

/// Returns 0 for an invalid color type.
int channels_of_png(std::uint64_t color_type) {
  switch (color_type) {
    case 0:
      return 1;
    case 2:
    case 3:
      return 3;
    case 4:
      return 2;
    case 6:
      return 4;
    default:
      return 0;
  }
}

bool is_depth_of_png(std::uint64_t color_type, std::uint64_t depth) {
  if (depth == 8) return true;
  if (depth == 16) return color_type != 3;
  return (depth == 1 || depth == 2 || depth == 4) && (color_type == 0 || color_type == 3);
}

bool read_png_extents(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  constexpr std::size_t kFirst = 8;  // offset of the first chunk
  if (!bytes.has(kFirst, 8 + 13)) return cut(problem, bytes, "the chunk IHDR");
  if (bytes.big(kFirst, 4) != 13 || !bytes.starts_with(kFirst + 4, "IHDR")) {
    return fail(problem, kFirst, "the chunk IHDR of 13 bytes", "another chunk");
  }
  const std::uint64_t width = bytes.big(16, 4);
  const std::uint64_t height = bytes.big(20, 4);
  const std::uint64_t depth = bytes.big(24, 1);
  const std::uint64_t color_type = bytes.big(25, 1);
  if (width == 0 || width > kPngSizeMax) {
    return fail(problem, 16, "a width from 1 to 2147483647", std::to_string(width));
  }
  if (height == 0 || height > kPngSizeMax) {
    return fail(problem, 20, "a height from 1 to 2147483647", std::to_string(height));
  }
  header.channels = channels_of_png(color_type);
  if (header.channels == 0) {
    return fail(problem, 25, "the colour type 0, 2, 3, 4 or 6", std::to_string(color_type));
  }
  if (!is_depth_of_png(color_type, depth)) {
    return fail(problem, 24,
                "a bit depth that PNG has for colour type " + std::to_string(color_type),
                std::to_string(depth));
  }
  if (bytes.big(26, 2) != 0 || bytes.big(28, 1) > 1) {
    return fail(problem, 26, "compression 0, filter 0, and interlace 0 or 1", "other methods");
  }
  header.stored_width = static_cast<std::int64_t>(width);
  header.stored_height = static_cast<std::int64_t>(height);
  header.bit_depth = static_cast<int>(depth);
  return true;
}

/// Searches for the chunk eXIf behind the first chunk of pixels, which ends at `at`. Damage there
/// is up to the decoder.
void read_late_png_exif(HeaderBytes bytes, std::size_t at, ImageHeader& header) {
  while (bytes.has(at, 8)) {
    const std::uint64_t size = bytes.big(at, 4);
    if (size > kPngSizeMax || bytes.starts_with(at + 4, "IEND")) return;
    if (bytes.starts_with(at + 4, "eXIf")) {
      if (bytes.has(at + 8, size))
        header.orientation = orientation_of_exif(bytes.part(at + 8, size));
      return;
    }
    at += 12 + static_cast<std::size_t>(size);
  }
}

bool read_png_header(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  header.format = ImageFormat::png;
  if (!read_png_extents(bytes, header, problem)) return false;
  bool has_exif = false;
  for (std::size_t at = 33;;) {
    if (!bytes.has(at, 8)) return cut(problem, bytes, "the chunk IDAT");
    const std::uint64_t size = bytes.big(at, 4);
    if (size > kPngSizeMax) {
      return fail(problem, at, "a chunk of at most 2147483647 bytes", std::to_string(size));
    }
    if (bytes.starts_with(at + 4, "IDAT")) {
      if (!has_exif) read_late_png_exif(bytes, at + 12 + static_cast<std::size_t>(size), header);
      return true;
    }
    if (bytes.starts_with(at + 4, "IEND")) {
      return fail(problem, at, "the chunk IDAT", "the chunk IEND");
    }
    if (bytes.starts_with(at + 4, "eXIf") && !has_exif) {
      if (!bytes.has(at + 8, size)) return cut(problem, bytes, "the end of the chunk eXIf");
      has_exif = true;
      header.orientation = orientation_of_exif(bytes.part(at + 8, size));
    }
    at += 12 + static_cast<std::size_t>(size);
  }
}

// --- WebP: RIFF, size, "WEBP", and chunks: type, length, contents, padding to an even length.

constexpr std::size_t kFirstOfWebp = 12;  // offset of the first chunk

bool read_lossy_webp(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  constexpr std::size_t kFrame = kFirstOfWebp + 8;
  if (!bytes.has(kFrame, 10)) return cut(problem, bytes, "the frame of a WebP image");
  if ((bytes.big(kFrame, 1) & 1) != 0 || !bytes.starts_with(kFrame + 3, "\x9d\x01\x2a")) {
    return fail(problem, kFrame, "a key frame of VP8", "other bytes");
  }
  header.stored_width = static_cast<std::int64_t>(bytes.little(kFrame + 6, 2) & 0x3FFF);
  header.stored_height = static_cast<std::int64_t>(bytes.little(kFrame + 8, 2) & 0x3FFF);
  if (header.stored_width == 0 || header.stored_height == 0) {
    return fail(problem, kFrame + 6, "extents of 1 or more", "0");
  }
  header.channels = 3;
  return true;
}

bool read_lossless_webp(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  constexpr std::size_t kFrame = kFirstOfWebp + 8;
  if (!bytes.has(kFrame, 5)) return cut(problem, bytes, "the frame of a WebP image");
  const std::uint64_t bits = bytes.little(kFrame + 1, 4);
  if (bytes.big(kFrame, 1) != 0x2F || bits >> 29 != 0) {
    return fail(problem, kFrame, "the signature of VP8L, version 0", "other bytes");
  }
  header.stored_width = static_cast<std::int64_t>(bits & 0x3FFF) + 1;
  header.stored_height = static_cast<std::int64_t>(bits >> 14 & 0x3FFF) + 1;
  header.channels = (bits >> 28 & 1) != 0 ? 4 : 3;
  return true;
}

/// Searches for the chunk EXIF, which comes behind the pixels.
bool read_webp_exif(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  const std::uint64_t end = bytes.little(4, 4) + 8;
  std::size_t at = kFirstOfWebp;
  while (at + 8 <= end) {
    if (!bytes.has(at, 8)) return cut(problem, bytes, "the chunk EXIF");
    const std::uint64_t size = bytes.little(at + 4, 4);
    if (bytes.starts_with(at, "EXIF")) {
      if (!bytes.has(at + 8, size)) return cut(problem, bytes, "the end of the chunk EXIF");
      header.orientation = orientation_of_exif(bytes.part(at + 8, size));
      return true;
    }
    at += 8 + static_cast<std::size_t>(size + (size & 1));
  }
  return true;
}

bool read_extended_webp(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  constexpr std::size_t kData = kFirstOfWebp + 8;
  constexpr std::uint64_t kAnimation = 0x02;
  constexpr std::uint64_t kExif = 0x08;
  constexpr std::uint64_t kAlpha = 0x10;
  if (!bytes.has(kData, 10)) return cut(problem, bytes, "the chunk VP8X");
  const std::uint64_t flags = bytes.big(kData, 1);
  if (bytes.little(kFirstOfWebp + 4, 4) < 10) {
    return fail(problem, kFirstOfWebp + 4, "a chunk VP8X of 10 bytes or more",
                std::to_string(bytes.little(kFirstOfWebp + 4, 4)));
  }
  if ((flags & kAnimation) != 0) return fail(problem, kData, "a still image", "an animation");
  header.stored_width = static_cast<std::int64_t>(bytes.little(kData + 4, 3)) + 1;
  header.stored_height = static_cast<std::int64_t>(bytes.little(kData + 7, 3)) + 1;
  header.channels = (flags & kAlpha) != 0 ? 4 : 3;
  return (flags & kExif) == 0 || read_webp_exif(bytes, header, problem);
}

bool read_webp_header(HeaderBytes bytes, ImageHeader& header, ImageProblem& problem) {
  header.format = ImageFormat::webp;
  if (!bytes.has(kFirstOfWebp, 8)) return cut(problem, bytes, "the first chunk of a WebP image");
  if (bytes.starts_with(kFirstOfWebp, "VP8 ")) return read_lossy_webp(bytes, header, problem);
  if (bytes.starts_with(kFirstOfWebp, "VP8L")) return read_lossless_webp(bytes, header, problem);
  if (bytes.starts_with(kFirstOfWebp, "VP8X")) return read_extended_webp(bytes, header, problem);
  return fail(problem, kFirstOfWebp, "the chunk VP8, VP8L or VP8X", "another chunk");
}

}  // namespace

const char* name_of(ImageFormat format) noexcept {
  switch (format) {
    case ImageFormat::jpeg:
      return "JPEG";
    case ImageFormat::png:
      return "PNG";
    case ImageFormat::webp:
      return "WebP";
  }
  return "";
}

bool read_image_header(std::span<const std::byte> bytes, ImageHeader& header,
                       ImageProblem& problem) {
  const HeaderBytes input(bytes);
  header = {};
  if (input.starts_with(0, "\xff\xd8")) return read_jpeg_header(input, header, problem);
  if (input.starts_with(0, kPngSignature)) return read_png_header(input, header, problem);
  if (input.starts_with(0, "RIFF") && input.starts_with(8, "WEBP")) {
    return read_webp_header(input, header, problem);
  }
  // If the bytes are shorter than the signatures, they may be cut. Otherwise they are of another
  // kind.
  fail(problem, 0, "a JPEG, PNG or WebP image",
       bytes.empty() ? "no bytes" : "bytes of another kind");
  problem.is_cut = input.begins("\xff\xd8") || input.begins(kPngSignature) ||
                   input.begins("RIFF") || (input.starts_with(0, "RIFF") && bytes.size() < 12);
  return false;
}

}  // namespace sheaf::internal
