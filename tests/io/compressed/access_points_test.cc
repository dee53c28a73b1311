#include "io/compressed/access_points.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

AccessPoints some_points() {
  return {.compression = Compression::gzip,
          .compressed = {.size_bytes = 1000, .hash = 7},
          .decompressed = {.size_bytes = 5000, .hash = 9},
          .points = {{.state = {}},
                     {.compressed = 100, .decompressed = 700, .bits = 3, .state = "window"},
                     {.compressed = 1000, .decompressed = 5000, .bits = 0, .state = ""}}};
}

TEST(AccessPoints, RoundTrip) {
  EXPECT_EQ(access_points_from_bytes(to_bytes(some_points())), some_points());
}

TEST(AccessPoints, TruncatedAndChangedBytesAreRefused) {
  const std::string bytes = to_bytes(some_points());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(access_points_from_bytes(bytes.substr(0, i)), std::nullopt);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(access_points_from_bytes(changed), std::nullopt) << i;
  }
  EXPECT_EQ(access_points_from_bytes(bytes + '\0'), std::nullopt);
}

TEST(AccessPoints, ImpossiblePointsAreRefused) {
  const auto refuses = [](auto change) {
    AccessPoints points = some_points();
    change(points);
    return access_points_from_bytes(to_bytes(points)) == std::nullopt;
  };
  EXPECT_FALSE(refuses([](AccessPoints&) {}));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points.clear(); }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[0].compressed = 1; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[0].state = "x"; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[1].compressed = 1000; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[1].decompressed = 5000; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[1].decompressed = -1; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[1].bits = 8; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[2].compressed = 1001; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.points[2].decompressed = 5001; }));
  EXPECT_TRUE(refuses([](AccessPoints& p) { p.compressed.size_bytes = -1; }));
}

TEST(AccessPoints, AreSpacedAndTakeLittleMemory) {
  constexpr std::int64_t kBytesMax = 100'000;
  AccessPointCollector collector(10, {}, kBytesMax);
  EXPECT_FALSE(collector.is_due(9));
  EXPECT_TRUE(collector.is_due(10));
  for (std::int64_t i = 1; i < 100'000; ++i) {
    if (!collector.is_due(10 * i)) continue;
    collector.add({.compressed = i, .decompressed = 10 * i, .state = std::string(100, 'x')});
  }
  std::int64_t bytes = 0;
  std::int64_t before = -1;
  for (const AccessPoint& point : collector.points()) {
    EXPECT_GT(point.decompressed, before);
    before = point.decompressed;
    bytes += std::ssize(point.state);
  }
  EXPECT_LE(bytes, kBytesMax);
  EXPECT_GT(bytes, kBytesMax / 4);
  EXPECT_GT(before, 900'000);  // the end of the file has points, too
}

}  // namespace
}  // namespace sheaf::internal
