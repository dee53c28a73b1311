// Decodes regions of images for tests/image/compare_with_python.py, which checks the results.
//
// Each line of the standard input has these words: a file, an output, rgb|bgr|grey, pillow|opencv,
// the reduction, and x, y, width and height of the region. The program writes the pixels to the
// output. If the image cannot be decoded, the output stays empty.

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "image/image_decoder.h"

namespace sheaf::internal {
namespace {

void decode_line(const std::string& line, ImageDecoder& decoder) {
  std::istringstream words(line);
  std::string input;
  std::string output;
  std::string color;
  std::string rules;
  DecodeRequest request;
  PixelRegion& region = request.region;
  words >> input >> output >> color >> rules >> request.reduction >> region.x >> region.y >>
      region.width >> region.height;
  request.color = color == "rgb"   ? ImageColor::rgb
                  : color == "bgr" ? ImageColor::bgr
                                   : ImageColor::grey;
  request.rules = rules == "opencv" ? ImageRules::opencv : ImageRules::pillow;
  std::ifstream file(input, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  std::ofstream result(output, std::ios::binary);
  ImageHeader header;
  ImageProblem problem;
  std::vector<ImageProblem> warnings;
  const std::int64_t channels = request.color == ImageColor::grey ? 1 : 3;
  std::vector<std::uint8_t> pixels(
      static_cast<std::size_t>(region.width * region.height * channels));
  if (read_image_header(bytes, header, problem) &&
      decoder.decode(bytes, header, request,
                     {.values = pixels.data(),
                      .width = region.width,
                      .height = region.height,
                      .channels = channels,
                      .row_stride = region.width * channels},
                     problem, warnings)) {
    result.write(reinterpret_cast<const char*>(pixels.data()),
                 static_cast<std::streamsize>(pixels.size()));
  } else {
    std::cerr << input << ": byte " << problem.offset << ": expected " << problem.expected
              << ", found " << problem.found << '\n';
  }
}

}  // namespace
}  // namespace sheaf::internal

int main() {
  sheaf::internal::ImageDecoder decoder;
  for (std::string line; std::getline(std::cin, line);) {
    sheaf::internal::decode_line(line, decoder);
  }
}
