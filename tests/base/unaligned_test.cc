#include "base/unaligned.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(Load, TakesNumbersAtAnyPlace) {
  std::array<std::byte, 32> bytes{};
  const double values[] = {1.5, -2.25};
  for (std::size_t place = 0; place < 8; ++place) {
    std::memcpy(bytes.data() + place, values, sizeof values);
    EXPECT_EQ(load<double>(bytes.data() + place), 1.5);
    EXPECT_EQ(load<double>(bytes.data() + place, 1), -2.25);
    EXPECT_EQ(load<double>(bytes.data() + place + sizeof(double), -1), 1.5);
  }
}

TEST(Load, KeepsSigns) {
  const std::array<std::byte, 4> bytes = {std::byte{0xFE}, std::byte{0xFF}, std::byte{0xFF},
                                          std::byte{0xFF}};
  EXPECT_EQ(load<std::int32_t>(bytes.data()), -2);
  EXPECT_EQ(load<std::uint32_t>(bytes.data()), 0xFFFF'FFFEU);
}

}  // namespace
}  // namespace sheaf::internal
