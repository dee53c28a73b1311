/// \file
/// The common parts of the codecs.

#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/image_decoder.h"
#include "image/oriented_pixels.h"

namespace sheaf::internal {

/// The work that one codec does for ImageDecoder.
struct CodecTask {
  std::span<const std::byte> bytes;
  const ImageHeader& header;
  ImageColor color;
  ImageRules rules;
  int reduction;
  PixelRegion region;   // part of the reduced image as stored
  std::int64_t margin;  // pixels on both sides of each row of pixels
  RowBands* bands;      // may be null
  const OrientedPixels& pixels;
};

/// Collects the problems that a codec reports.
struct CodecFindings {
  ImageProblem& problem;
  std::vector<ImageProblem>& warnings;
};

/// The memory of the codecs, kept between images.
struct CodecMemory {
  std::vector<std::uint8_t> row;     // row of pixels, as the codec returns it
  std::vector<std::uint8_t> result;  // converted row of pixels, or a region
};

/// Decodes an image of the format. In case of an error, sets the problem and returns false.
[[nodiscard]] bool decode_jpeg(const CodecTask& task, CodecMemory& memory,
                               const CodecFindings& findings);
[[nodiscard]] bool decode_png(const CodecTask& task, CodecMemory& memory,
                              const CodecFindings& findings);
[[nodiscard]] bool decode_webp(const CodecTask& task, CodecMemory& memory,
                               const CodecFindings& findings);

/// Runs `call`, and returns whether it completed. C codecs leave `call` by longjmp() to `jump`. The
/// frames that this skips, of `call` and of its callees, must not have destructors.
template <typename Call>
[[nodiscard]] bool guarded(std::jmp_buf& jump, const Call& call) {
  if (setjmp(jump) != 0) return false;
  call();
  return true;
}

}  // namespace sheaf::internal
