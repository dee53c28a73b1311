#include "format/images/class_id.h"

#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using Problem = ClassId::Problem;

struct Case {
  std::string_view text;
  std::optional<std::int64_t> class_count;
  Problem problem;
  std::int64_t value;
};

TEST(ClassId, IsADecimalNumberBelowTheNumberOfClasses) {
  const Case cases[] = {
      {"0", {}, Problem::none, 0},                          // the smallest
      {"007", {}, Problem::none, 7},                        // leading zeros
      {"3\r", {}, Problem::none, 3},                        // a line that ends with CR LF
      {" \t3 \v\f", {}, Problem::none, 3},                  // blanks around
      {"9", 10, Problem::none, 9},                          // the last class
      {"10", 10, Problem::too_large, 0},                    // one above
      {"0", 1, Problem::none, 0},                           // the only class
      {"1", 1, Problem::too_large, 0},                      // one above
      {"2147483647", {}, Problem::none, 2147483647},        // the largest i32
      {"2147483648", {}, Problem::too_large, 0},            // one above
      {"99999999999999999999", {}, Problem::too_large, 0},  // above 64 bits
      {"", {}, Problem::not_a_number, 0},                   // nothing
      {" \r", {}, Problem::not_a_number, 0},                // only blanks
      {"3abc", {}, Problem::not_a_number, 0},               // CNTK reads this as 3
      {"-1", {}, Problem::not_a_number, 0},                 // a sign
      {"+1", {}, Problem::not_a_number, 0},                 // a sign
      {"1 2", {}, Problem::not_a_number, 0},                // two numbers
      {"1.0", {}, Problem::not_a_number, 0},                // a fraction
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.text);
    const ClassId id = parse_class_id(each.text, each.class_count);
    EXPECT_EQ(id.problem, each.problem);
    if (each.problem == Problem::none) {
      EXPECT_EQ(id.value, each.value);
    }
  }
}

TEST(ClassId, TheTrimmedTextHasNoBlanksAround) {
  EXPECT_EQ(trimmed_class_id(" \t3 4\r\n"), "3 4");
  EXPECT_EQ(trimmed_class_id("  "), "");
  EXPECT_EQ(trimmed_class_id(""), "");
}

}  // namespace
}  // namespace sheaf::internal
