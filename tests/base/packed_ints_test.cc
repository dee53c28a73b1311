#include "sheaf/packed_ints.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sheaf {
namespace {

PackedInts pack(const std::vector<std::int64_t>& values) {
  PackedInts::Builder builder;
  for (const std::int64_t value : values) builder.push_back(value);
  EXPECT_EQ(builder.size(), static_cast<std::int64_t>(values.size()));
  return builder.finish();
}

std::vector<std::int64_t> unpack(const PackedInts& packed) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < packed.size(); ++i) values.push_back(packed[i]);
  return values;
}

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(PackedInts, GiveBackWhatWasPutIn) {
  const std::vector<std::int64_t> cases[] = {
      {},                        // nothing
      {7},                       // one
      {5, 5, 5, 5},              // equal
      {0, 10, 20, 30},           // evenly spaced
      {30, 20, 10, 0},           // falling
      {0, 9, 21, 30},            // nearly a line
      {kMax, kMin, 0, -1, kMax}  // as far apart as can be
  };
  for (const auto& values : cases) {
    SCOPED_TRACE(values.size());
    EXPECT_EQ(unpack(pack(values)), values);
  }
}

TEST(PackedInts, GiveBackAnyList) {
  const bool holds = rc::check(
      [](const std::vector<std::int64_t>& values) { RC_ASSERT(unpack(pack(values)) == values); });
  EXPECT_TRUE(holds);
}

TEST(PackedInts, GiveBackRowsOfAnyLength) {
  const bool holds = rc::check([] {
    std::vector<std::int64_t> offsets = {0};
    const auto count = *rc::gen::inRange(1, 500);
    const auto length_max = *rc::gen::element(2, 300, 70'000, 1 << 30);
    for (int i = 0; i < count; ++i) {
      offsets.push_back(offsets.back() + *rc::gen::inRange(0, length_max));
    }
    RC_ASSERT(unpack(pack(offsets)) == offsets);
  });
  EXPECT_TRUE(holds);
}

TEST(PackedInts, TellTheValueThatAllHave) {
  EXPECT_EQ(pack({}).constant(), std::nullopt);
  EXPECT_EQ(pack({4}).constant(), 4);
  EXPECT_EQ(pack(std::vector<std::int64_t>(1000, -3)).constant(), -3);
  std::vector<std::int64_t> values(1000, -3);
  values[999] = -2;
  EXPECT_EQ(pack(values).constant(), std::nullopt);
  EXPECT_EQ(pack({1, 2, 3}).constant(), std::nullopt);
}

TEST(PackedInts, KeepEvenlySpacedValuesInHalfAByteEach) {
  PackedInts::Builder builder;
  for (std::int64_t i = 0; i < 100'000; ++i) builder.push_back(1'000'000'000'000 + 17 * i);
  EXPECT_LE(builder.finish().size_bytes(), 50'000);
}

TEST(PackedInts, ABuilderIsEmptyAfterFinish) {
  PackedInts::Builder builder;
  builder.push_back(1);
  EXPECT_EQ(builder.finish().size(), 1);
  EXPECT_EQ(builder.size(), 0);
  builder.push_back(2);
  EXPECT_EQ(unpack(builder.finish()), std::vector<std::int64_t>{2});
}

}  // namespace
}  // namespace sheaf
