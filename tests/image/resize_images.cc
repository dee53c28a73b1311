// Resizes images for tests/image/compare_resize.py, which checks the results.
//
// Each line of the standard input has these words: an input, an output, opencv|pillow, a kernel,
// the bits of a value (8, 32 or 64), the width, height and channels of the input, the width and
// height of the output, and the four borders of Pillow's box. Both files contain plain values. The
// output has the result of each instruction set, one after the other. Pixels that read_by_pillow()
// leaves out are inverted first, so that a read of such a pixel changes the result.

#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>

#include "sheaf/extend/simd.h"

#include "image/resize.h"
#include "image/resize_cases.h"

namespace sheaf::internal {
namespace {

struct Case {
  std::string input;
  std::string output;
  std::string rules;
  std::string kernel;
  int bits = 8;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  std::int64_t to_width = 0;
  std::int64_t to_height = 0;
  ResizeBox box = {};
};

Interpolation interpolation_of(const std::string& name) {
  if (name == "nearest") return Interpolation::nearest;
  if (name == "linear") return Interpolation::linear;
  return name == "cubic" ? Interpolation::cubic : Interpolation::lanczos;
}

ResizeFilter filter_of(const std::string& name) {
  if (name == "nearest") return ResizeFilter::nearest;
  if (name == "box") return ResizeFilter::box;
  if (name == "bilinear") return ResizeFilter::bilinear;
  if (name == "hamming") return ResizeFilter::hamming;
  return name == "bicubic" ? ResizeFilter::bicubic : ResizeFilter::lanczos;
}

void invert_outside(MadeImage<std::uint8_t>& image, const PixelRegion& region) {
  const PixelView<std::uint8_t>& view = image.view;
  for (std::int64_t y = 0; y < view.height; ++y) {
    for (std::int64_t x = 0; x < view.width; ++x) {
      if (x >= region.x && x < region.x + region.width && y >= region.y &&
          y < region.y + region.height) {
        continue;
      }
      for (std::int64_t c = 0; c < view.channels; ++c) {
        std::uint8_t& value = view.row(y)[x * view.channels + c];
        value = static_cast<std::uint8_t>(255 - value);
      }
    }
  }
}

template <typename T>
void resize_case(const Case& wanted, ResizeMemory& memory) {
  MadeImage<T> from(wanted.width, wanted.height, wanted.channels);
  std::ifstream file(wanted.input, std::ios::binary);
  file.read(reinterpret_cast<char*>(from.values.data()),
            static_cast<std::streamsize>(from.values.size() * sizeof(T)));
  if (!file) std::cerr << wanted.input << ": too short\n";
  const ResizeFilter filter = filter_of(wanted.kernel);
  const bool is_opencv = wanted.rules == "opencv";
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (!is_opencv) {
      invert_outside(from, read_by_pillow(wanted.width, wanted.height, wanted.box, wanted.to_width,
                                          wanted.to_height, filter));
    }
  }
  std::ofstream result(wanted.output, std::ios::binary);
  for (const SimdLevel level : simd_levels()) {
    set_simd_level(level);
    MadeImage<T> to(wanted.to_width, wanted.to_height, wanted.channels);
    if (is_opencv) {
      resize_as_opencv(from.read(), to.view, interpolation_of(wanted.kernel), memory);
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
      resize_as_pillow(from.read(), wanted.box, to.view, filter, memory);
    }
    result.write(reinterpret_cast<const char*>(to.values.data()),
                 static_cast<std::streamsize>(to.values.size() * sizeof(T)));
  }
}

void resize_line(const std::string& line, ResizeMemory& memory) {
  std::istringstream words(line);
  Case wanted;
  words >> wanted.input >> wanted.output >> wanted.rules >> wanted.kernel >> wanted.bits >>
      wanted.width >> wanted.height >> wanted.channels >> wanted.to_width >> wanted.to_height;
  for (double& border : wanted.box) words >> border;
  if (!words) {
    std::cerr << "not a case: " << line << '\n';
  } else if (wanted.bits == 8) {
    resize_case<std::uint8_t>(wanted, memory);
  } else if (wanted.bits == 32) {
    resize_case<float>(wanted, memory);
  } else {
    resize_case<double>(wanted, memory);
  }
}

}  // namespace
}  // namespace sheaf::internal

int main() {
  sheaf::internal::ResizeMemory memory;
  for (std::string line; std::getline(std::cin, line);) {
    sheaf::internal::resize_line(line, memory);
  }
}
