#include "format/htk/htk_list.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf::htk {
namespace {

std::string parsed(const std::string& text,
                   const ListRules& rules = {.prefix = {}, .folder = "d"}) {
  std::string scratch;
  const ListLine line = parse_list_line(text, rules, scratch);
  if (line.fault != nullptr) {
    return std::string(line.fault->code) + " at " + std::to_string(line.fault_begin) + "+" +
           std::to_string(line.fault_size);
  }
  return std::string(line.key) + " " + std::string(line.path) + " " + std::to_string(line.first) +
         " " + std::to_string(line.last);
}

TEST(HtkList, ALineIsANameAPathAndARange) {
  EXPECT_EQ(parsed("a/u1.mfc=b/c.htk[0,9]"), "a/u1 b/c.htk 0 9");
  EXPECT_EQ(parsed("u1.mfc=c.htk[3,3]\r"), "u1 c.htk 3 3");
  EXPECT_EQ(parsed("u1=c=d.htk[1,2]"), "u1 c=d.htk 1 2");
  EXPECT_EQ(parsed("u1.mfc=c.htk"), "u1 c.htk 0 -1");
  EXPECT_EQ(parsed("b/c.d.htk"), "b/c.d b/c.d.htk 0 -1");
  EXPECT_EQ(parsed("b/c.htk[4,7]"), "b/c b/c.htk 4 7");
  EXPECT_EQ(parsed("a.b/c=x[0,0]"), "a x 0 0");
}

TEST(HtkList, MinusOneMayMeanTheLastFrame) {
  EXPECT_EQ(parsed("u=x[4,-1]"), "u x 4 -1");
  EXPECT_EQ(parsed("u=x[4,-1]", {.prefix = {}, .folder = "d", .allows_last_minus_1 = false}),
            "htk-range at 3+6");
  EXPECT_EQ(parsed("u=x[4,-2]"), "htk-range at 3+6");
  EXPECT_EQ(parsed("u=x[-1,4]"), "htk-range at 3+6");
}

TEST(HtkList, FrameNumbersEndBelow2To31) {
  EXPECT_EQ(parsed("u=x[0,2147483647]"), "u x 0 2147483647");
  EXPECT_EQ(parsed("u=x[0,2147483648]"), "htk-range at 3+14");
  EXPECT_EQ(parsed("u=x[99999999999999999999999,0]"), "htk-range at 3+27");
}

TEST(HtkList, ErrorsHaveAnOffset) {
  EXPECT_EQ(parsed("u=x[0,9] "), "htk-range at 3+6");
  EXPECT_EQ(parsed("u=x[0,9"), "htk-range at 3+4");
  EXPECT_EQ(parsed("u=x[0 ,9]"), "htk-range at 3+6");
  EXPECT_EQ(parsed("u=x[1x,3y]"), "htk-range at 3+7");
  EXPECT_EQ(parsed("u=x[]"), "htk-range at 3+2");
  EXPECT_EQ(parsed("u=x[5,3]"), "htk-range-order at 3+5");
  EXPECT_EQ(parsed("u=[0,3]"), "htk-path at 2+0");
  EXPECT_EQ(parsed("u="), "htk-path at 2+0");
  EXPECT_EQ(parsed("=x[0,3]"), "htk-key at 0+0");
  EXPECT_EQ(parsed(".mfc=x[0,3]"), "htk-key at 0+4");
}

TEST(HtkList, ThreeDotsStandForTheFolderOfTheList) {
  EXPECT_EQ(parsed("u=.../x[0,1]"), "u d/x 0 1");
  EXPECT_EQ(parsed("u=.../.../x[0,1]"), "u d/.../x 0 1");
  EXPECT_EQ(parsed(".../u.mfc"), "d/u d/u.mfc 0 -1");
  EXPECT_EQ(parsed("u=.../x[0,z]", {.prefix = {}, .folder = "a/long/folder"}), "htk-range at 7+5");
}

TEST(HtkList, APrefixComesBeforeThePath) {
  const ListRules rules{.prefix = "p/", .folder = "d"};
  EXPECT_EQ(parsed("u.mfc=x[0,1]", rules), "u p/x 0 1");
  EXPECT_EQ(parsed("v/u.mfc", rules), "p/v/u p/v/u.mfc 0 -1");
  EXPECT_EQ(parsed("u=.../x[0,1]", rules), "u p/.../x 0 1") << "no dots with a prefix";
}

TEST(HtkList, BlankLinesHoldOnlyBlanks) {
  EXPECT_TRUE(is_blank_line(""));
  EXPECT_TRUE(is_blank_line(" \t\r"));
  EXPECT_FALSE(is_blank_line(" x"));
}

/// Compares parse_plain_line() with parse_list_line(). Returns whether parse_plain_line() accepts
/// the line.
bool is_plain(const std::string& line) {
  const std::string text = line + std::string(65, '\n');
  const PlainListLine plain = parse_plain_line(text.data());
  if (plain.end == nullptr) return false;
  std::string scratch;
  const ListLine expected = parse_list_line(line, {.prefix = "", .folder = "."}, scratch);
  EXPECT_EQ(plain.end, text.data() + line.size()) << line;
  EXPECT_EQ(expected.fault, nullptr) << line;
  EXPECT_EQ(plain.key, expected.key) << line;
  EXPECT_EQ(plain.path, expected.path) << line;
  EXPECT_EQ(plain.first, expected.first) << line;
  EXPECT_EQ(plain.last, expected.last) << line;
  return true;
}

// Moves each mark of a line across the borders of blocks of 64 bytes.
TEST(HtkList, PlainLinesAgreeWithTheGeneralParser) {
  for (std::size_t size = 1; size < 200; ++size) {
    const std::string name(size, 'n');
    for (const char* const line_end : {"", "\r"}) {
      EXPECT_TRUE(is_plain(name + "=p[0,1]" + line_end)) << size;
      EXPECT_TRUE(is_plain("a.b=" + name + "[12345678,99999999]" + line_end)) << size;
      EXPECT_TRUE(is_plain("a." + name + "=..p.[7,7]" + line_end)) << size;
      EXPECT_TRUE(is_plain(name + ".c=p=[7,7]" + line_end)) << size;
      EXPECT_TRUE(is_plain("." + name + "[.x..=q.r[0,0]" + line_end)) << size;
      EXPECT_FALSE(is_plain(name + "...=p[0,1]" + line_end)) << size;
      EXPECT_FALSE(is_plain("a=" + name + ".../p[0,1]" + line_end)) << size;
      EXPECT_FALSE(is_plain(name + line_end)) << size;
      EXPECT_FALSE(is_plain(name + "=p" + line_end)) << size;
      EXPECT_FALSE(is_plain(name + "[0,1]" + line_end)) << size;
    }
  }
}

TEST(HtkList, EveryOtherLineIsNotPlain) {
  for (const char* const line : {"",
                                 "\r",
                                 " ",
                                 "a=b",
                                 "a=[0,1]",
                                 "=b[0,1]",
                                 ".x=b[0,1]",
                                 "a=b[0,1",
                                 "a=b[0,1] ",
                                 "a=b[,1]",
                                 "a=b[0,]",
                                 "a=b[0]",
                                 "a=b[0;1]",
                                 "a=b[0,-1]",
                                 "a=b[-1,0]",
                                 "a=b[ 0,1]",
                                 "a=b[2,1]",
                                 "a=b[0,123456789]",
                                 "a=b[123456789,123456790]",
                                 "a=b[0,1]x",
                                 "a=b[0,1]\r\r",
                                 "a=b[0,1][2,3]",
                                 "a=b[c[0,1]",
                                 "a[0,1]=b",
                                 ".../a=b[0,1]",
                                 "a=....b[0,1]"}) {
    EXPECT_FALSE(is_plain(line)) << line;
  }
  EXPECT_TRUE(is_plain("a..b=..[0,1]"));
  EXPECT_TRUE(is_plain("a..=.b..[0,1]"));
}

}  // namespace
}  // namespace sheaf::htk
