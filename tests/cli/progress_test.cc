#include "output/progress.h"

#include <gtest/gtest.h>

namespace sheaf::cli {
namespace {

TEST(Progress, SaysHowFarHowFastAndHowLong) {
  constexpr std::int64_t kMega = 1'000'000;
  EXPECT_EQ("  0 %, 0.0 of 200.0 MB", progress_text(0, 200 * kMega, 0));
  EXPECT_EQ(" 25 %, 50.0 of 200.0 MB, 25.0 MB/s, 6 s left",
            progress_text(50 * kMega, 200 * kMega, 2));
  EXPECT_EQ(" 10 %, 1.0 of 10.0 MB, 0.1 MB/s, 1 min 30 s left",
            progress_text(kMega, 10 * kMega, 10));
  EXPECT_EQ("  1 %, 1.0 of 100.0 MB, 0.0 MB/s, 2 h 45 min left",
            progress_text(kMega, 100 * kMega, 100));
  EXPECT_EQ("100 %, 7.0 of 7.0 MB, 3.5 MB/s", progress_text(7 * kMega, 7 * kMega, 2));
  EXPECT_EQ("100 %, 0.0 of 0.0 MB", progress_text(0, 0, 1));
}

TEST(Progress, SaysHowLongAPassOfOpeningTakesAtMost) {
  constexpr std::int64_t kMega = 1'000'000;
  EXPECT_EQ(opening_text(0, 8 * kMega, 1), "opening the data: 0.0 MB read");
  EXPECT_EQ(opening_text(kMega, 8 * kMega, 0.05), "opening the data: 1.0 MB read");
  EXPECT_EQ(opening_text(2 * kMega, 0, 1), "opening the data: 2.0 MB read, 2.0 MB/s");
  EXPECT_EQ(opening_text(2 * kMega, 8 * kMega, 1),
            "opening the data: 2.0 MB read, 2.0 MB/s, 25 % of pass 1, at most 3 s left");
  EXPECT_EQ(opening_text(14 * kMega, 8 * kMega, 7),
            "opening the data: 14.0 MB read, 2.0 MB/s, 75 % of pass 2, at most 1 s left");
}

}  // namespace
}  // namespace sheaf::cli
