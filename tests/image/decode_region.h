/// \file
/// Decodes images for tests.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/image_decoder.h"

namespace sheaf::internal {

/// The result of decoding.
struct Decoded {
  bool is_right = false;
  std::vector<std::uint8_t> pixels;
  ImageProblem problem = {};
  std::vector<ImageProblem> warnings = {};
};

[[nodiscard]] Decoded decode_region(const std::string& bytes, const ImageHeader& header,
                                    const DecodeRequest& request);

/// Reads the header, and decodes all pixels of the reduced image.
[[nodiscard]] Decoded decode_whole(const std::string& bytes, DecodeRequest request);

/// Decodes `count` regions, including corners and small ones, and compares them with the same
/// regions of the whole image. Returns the first difference, or an empty text.
[[nodiscard]] std::string broken_region_law(const std::string& bytes, DecodeRequest request,
                                            int count);

/// Returns the 64-bit FNV-1a hash of the pixels, in hexadecimal.
[[nodiscard]] std::string hash_of(const std::vector<std::uint8_t>& pixels);

}  // namespace sheaf::internal
