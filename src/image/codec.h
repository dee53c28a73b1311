/// \file
/// What the codecs of the formats share.

#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/image_decoder.h"
#include "image/oriented_pixels.h"

namespace sheaf::internal {

/// What one codec does for ImageDecoder.
struct CodecTask {
  std::span<const std::byte> bytes;
  const ImageHeader& header;
  ImageColor color;
  ImageRules rules;
  int reduction;
  PixelRegion region;   // of the reduced image as it is stored
  std::int64_t margin;  // of each row of the pixels, on both sides
  RowBands* bands;      // may be null
  const OrientedPixels& pixels;
};

/// Where a codec says what is wrong.
struct CodecFindings {
  ImageProblem& problem;
  std::vector<ImageProblem>& warnings;
};

/// Memory of the codecs, kept between images.
struct CodecMemory {
  std::vector<std::uint8_t> row;     // as the codec gives it
  std::vector<std::uint8_t> result;  // a row on its way, or a region
};

/// Decodes an image of the format. Returns false, and sets the problem, where that fails.
[[nodiscard]] bool decode_jpeg(const CodecTask& task, CodecMemory& memory,
                               const CodecFindings& findings);
[[nodiscard]] bool decode_png(const CodecTask& task, CodecMemory& memory,
                              const CodecFindings& findings);
[[nodiscard]] bool decode_webp(const CodecTask& task, CodecMemory& memory,
                               const CodecFindings& findings);

/// Runs `call`, and returns whether it came to its end. Codecs in C leave it by longjmp() to
/// `jump`, over frames that must have no destructors: those of `call`, and of what it calls.
template <typename Call>
[[nodiscard]] bool guarded(std::jmp_buf& jump, const Call& call) {
  if (setjmp(jump) != 0) return false;
  call();
  return true;
}

}  // namespace sheaf::internal
