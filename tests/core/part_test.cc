#include "sheaf/part.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/error_of.h"

namespace sheaf {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::string refusal(const std::string& text) {
  return testing::error_of([&] { static_cast<void>(parse_part(text)); });
}

TEST(DataPart, IsParsedAndPrinted) {
  EXPECT_EQ(parse_part("3/8"), (DataPart{.number = 3, .count = 8}));
  EXPECT_EQ(parse_part("0/1"), DataPart());
  EXPECT_EQ(to_string(parse_part("7/8")), "7/8");
  EXPECT_TRUE(parse_part("7/8").is_last());
  EXPECT_FALSE(parse_part("6/8").is_last());
  EXPECT_EQ(parse_part("9223372036854775806/9223372036854775807").count, kMost);
}

TEST(DataPart, OtherTextIsRefused) {
  EXPECT_EQ(refusal("8/8"), "part 8/8: the number of a part is from 0 to 7");
  EXPECT_EQ(refusal("0/0"), "part 0/0: there is no part");
  for (const char* const text : {"", "3", "/", "3/", "/8", "-1/8", "1/-8", "1/8/2", " 1/8", "1/8 ",
                                 "a/8", "1.5/8", "0x1/8", "+1/8", "9223372036854775808/8"}) {
    EXPECT_EQ(refusal(text),
              "part: expected a number and how many parts there are, such as 3/8, found \"" +
                  std::string(text) + "\"");
  }
  EXPECT_EQ(testing::error_of([] { check_part({.number = -1, .count = 2}); }),
            "part -1/2: the number of a part is from 0 to 1");
}

TEST(DataPart, EachChunkIsInOnePart) {
  for (const std::int64_t count : {1, 2, 3, 7, 8, 9, 1000}) {
    for (const std::int64_t chunks : {0, 1, 7, 8, 9, 100}) {
      std::int64_t end = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const DataPart part{.number = i, .count = count};
        EXPECT_EQ(part.first_chunk(chunks), end);
        end = part.end_chunk(chunks);
        EXPECT_LE(end - part.first_chunk(chunks), (chunks + count - 1) / count);
      }
      EXPECT_EQ(end, chunks);
    }
  }
}

TEST(DataPart, LargeNumbersDoNotOverflow) {
  const DataPart last{.number = kMost - 1, .count = kMost};
  EXPECT_EQ(last.first_chunk(kMost), kMost - 1);
  EXPECT_EQ(last.end_chunk(kMost), kMost);
}

}  // namespace
}  // namespace sheaf
