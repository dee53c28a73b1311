#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "image/resize.h"
#include "image/resize_cases.h"
#include "image/resize_golden.h"

namespace sheaf::internal {
namespace {

template <typename T>
std::uint64_t resized_hash(const OpencvCase& row, ResizeMemory& memory) {
  const MadeImage<T> from = formula_image<T>(row.width, row.height, row.channels);
  MadeImage<T> to(row.to_width, row.to_height, row.channels);
  resize_as_opencv(from.read(), to.view, row.interpolation, memory);
  return hash_of(to);
}

// All cases share one memory: remains of one case must not change another.
TEST(ResizeOpencv, MatchesOpencv) {
  ResizeMemory memory;
  for (const OpencvCase& row : kOpencvCases) {
    const std::uint64_t hash = row.bits == 8    ? resized_hash<std::uint8_t>(row, memory)
                               : row.bits == 32 ? resized_hash<float>(row, memory)
                                                : resized_hash<double>(row, memory);
    EXPECT_EQ(hash, row.hash) << row.bits << " bits, " << row.width << " x " << row.height << " x "
                              << row.channels << " to " << row.to_width << " x " << row.to_height
                              << " by " << static_cast<int>(row.interpolation);
  }
}

TEST(ResizeOpencv, EqualExtentsAreCopied) {
  ResizeMemory memory;
  const auto from = formula_image<float>(5, 3, 3);
  for (const auto interpolation : {Interpolation::nearest, Interpolation::linear,
                                   Interpolation::cubic, Interpolation::lanczos}) {
    MadeImage<float> to(5, 3, 3);
    resize_as_opencv(from.read(), to.view, interpolation, memory);
    EXPECT_EQ(to.values, from.values);
  }
}

// The rows of a part of an image lie apart. The bytes between them are neither read nor written.
TEST(ResizeOpencv, RowsMayHavePadding) {
  ResizeMemory memory;
  for (const auto interpolation : {Interpolation::nearest, Interpolation::linear,
                                   Interpolation::cubic, Interpolation::lanczos}) {
    const auto whole = formula_image<std::uint8_t>(20, 12, 3);
    MadeImage<std::uint8_t> part(9, 7, 3);
    for (std::int64_t y = 0; y < 7; ++y) {
      std::copy_n(whole.view.row(y + 2) + 4 * 3, 9 * 3, part.view.row(y));
    }
    MadeImage<std::uint8_t> expected(5, 6, 3);
    resize_as_opencv(part.read(), expected.view, interpolation, memory);
    MadeImage<std::uint8_t> room(11, 6, 3);
    PixelView<std::uint8_t> to = room.view;
    to.width = 5;
    const PixelView<const std::uint8_t> from = {whole.view.row(2) + 4 * 3, 9, 7, 3, 20 * 3};
    resize_as_opencv(from, to, interpolation, memory);
    for (std::int64_t y = 0; y < 6; ++y) {
      const std::vector<std::uint8_t> row(room.view.row(y), room.view.row(y) + 5 * 3);
      EXPECT_EQ(row, std::vector<std::uint8_t>(expected.view.row(y), expected.view.row(y) + 15));
      for (std::int64_t i = 5 * 3; i < 11 * 3; ++i) EXPECT_EQ(room.view.row(y)[i], 0);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
