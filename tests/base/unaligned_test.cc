#include "base/unaligned.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(Load, TakesNumbersAtAnyOffset) {
  std::array<std::byte, 32> bytes{};
  const double values[] = {1.5, -2.25};
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::memcpy(bytes.data() + offset, values, sizeof values);
    EXPECT_EQ(load<double>(bytes.data() + offset), 1.5);
    EXPECT_EQ(load<double>(bytes.data() + offset, 1), -2.25);
    EXPECT_EQ(load<double>(bytes.data() + offset + sizeof(double), -1), 1.5);
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
