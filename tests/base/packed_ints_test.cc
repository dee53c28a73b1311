#include "sheaf/extend/packed_ints.h"

#include <cstdint>
#include <limits>
#include <optional>
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
      {},                        // empty
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

TEST(PackedInts, ASliceIsTheListOfItsValues) {
  const bool holds = rc::check([] {
    const auto step = *rc::gen::inRange(0, 3);  // 0 makes equal values, which lie on a line
    std::vector<std::int64_t> values = {kMax};
    const auto count = *rc::gen::inRange(0, 300);
    for (int i = 0; i < count; ++i) {
      const auto rise = static_cast<std::uint64_t>(*rc::gen::inRange(0, step + 1));
      values.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(values.back()) + rise));
    }
    const auto first = *rc::gen::inRange<std::int64_t>(0, std::ssize(values) + 1);
    const auto size = *rc::gen::inRange<std::int64_t>(0, std::ssize(values) - first + 1);
    const PackedInts slice = pack(values).slice(first, size);
    const std::vector<std::int64_t> expected(values.begin() + first, values.begin() + first + size);
    RC_ASSERT(unpack(slice) == expected);
    RC_ASSERT(slice.size_bytes() <= pack(expected).size_bytes());
  });
  EXPECT_TRUE(holds);
  const PackedInts line({.first = 7, .step = -2}, std::int64_t{1} << 40);
  EXPECT_EQ(unpack(line.slice(1, 3)), (std::vector<std::int64_t>{5, 3, 1}));
  EXPECT_EQ(line.slice(5, std::int64_t{1} << 39).size_bytes(), 24);
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
  EXPECT_EQ(PackedInts({.first = 9, .step = 4}, 1).constant(), 9);
  EXPECT_EQ(pack({1, 2, 3}).constant(), std::nullopt);
}

constexpr std::int64_t kBlockBytes = 24;

TEST(PackedInts, KeepAListOnALineInOneBlock) {
  for (const std::int64_t size : {1, 2, 63, 64, 65, 100'000}) {
    SCOPED_TRACE(size);
    PackedInts::Builder builder;
    for (std::int64_t i = 0; i < size; ++i) builder.push_back(1'000'000'000'000 + 17 * i);
    const PackedInts packed = builder.finish();
    EXPECT_EQ(packed.size_bytes(), kBlockBytes);
    EXPECT_EQ(packed[size - 1], 1'000'000'000'000 + 17 * (size - 1));
  }
}

TEST(PackedInts, KeepBlocksOnALineInABlockEach) {
  PackedInts::Builder builder;
  for (std::int64_t i = 0; i < 64'000; ++i) builder.push_back(i < 32'000 ? 5 * i : 7 * i);
  EXPECT_EQ(builder.finish().size_bytes(), 1000 * kBlockBytes);
}

TEST(PackedInts, GiveBackAListThatLeavesItsLineAnywhere) {
  for (std::size_t size = 1; size <= 200; ++size) {
    for (const std::size_t off : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < size; ++i) values.push_back(100 - 3 * static_cast<int>(i));
      values[off] += 1'000'000;
      ASSERT_EQ(unpack(pack(values)), values) << size << ' ' << off;
    }
  }
}

/// Finds the line of all values, value by value. Returns nothing if there is none.
std::optional<PackedInts::Line> line_of(const std::vector<std::int64_t>& values) {
  if (values.empty()) return std::nullopt;
  const auto value = [&](std::size_t i) { return static_cast<std::uint64_t>(values[i]); };
  const std::uint64_t step = values.size() > 1 ? value(1) - value(0) : 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (value(i) - value(i - 1) != step) return std::nullopt;
  }
  return PackedInts::Line{.first = values[0], .step = static_cast<std::int64_t>(step)};
}

TEST(PackedInts, TellTheLineThatAllValuesLieOn) {
  const bool holds = rc::check([] {
    const auto first = *rc::gen::arbitrary<std::int64_t>();
    const auto step =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-2, 3), rc::gen::arbitrary<std::int64_t>());
    const auto size = *rc::gen::inRange<std::int64_t>(0, 300);
    PackedInts list({.first = first, .step = step}, size);
    std::vector<std::int64_t> values = unpack(list);
    RC_ASSERT(std::ssize(values) == size);
    RC_ASSERT(list.line() == line_of(values));
    RC_ASSERT(pack(values).line() == line_of(values));
    if (size > 0 && *rc::gen::arbitrary<bool>()) {
      values[*rc::gen::inRange<std::size_t>(0, values.size())] += 1;
      RC_ASSERT(pack(values).line() == line_of(values));
      RC_ASSERT(unpack(pack(values)) == values);
    }
  });
  EXPECT_TRUE(holds);
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
