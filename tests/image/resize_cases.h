/// \file
/// Images defined by a formula, which resize_golden.py also contains.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/pixels.h"

namespace sheaf::internal {

template <typename T>
struct MadeImage {
  std::vector<T> values;
  PixelView<T> view;

  MadeImage(std::int64_t width, std::int64_t height, std::int64_t channels)
      : values(static_cast<std::size_t>(width * height * channels)),
        view{values.data(), width, height, channels, width * channels} {}

  [[nodiscard]] PixelView<const T> read() const noexcept {
    return {view.values, view.width, view.height, view.channels, view.row_stride};
  }
};

template <typename T>
MadeImage<T> formula_image(std::int64_t width, std::int64_t height, std::int64_t channels) {
  MadeImage<T> image(width, height, channels);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        image.view.row(y)[x * channels + c] =
            static_cast<T>((x * 37 + y * 91 + c * 53 + x * y * 7 + x * x * 3) % 256);
      }
    }
  }
  return image;
}

/// Returns the FNV-1a hash of the bytes.
template <typename T>
std::uint64_t hash_of(const MadeImage<T>& image) {
  std::uint64_t hash = 0xCBF29CE484222325;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(image.values.data());
  for (std::size_t i = 0; i < image.values.size() * sizeof(T); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001B3;
  }
  return hash;
}

}  // namespace sheaf::internal
