#include "format/ctf/cntk/ctf_cntk_rows.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf::ctf {
namespace {

TEST(CtfCntkRows, NamesAreFoundByTextSearch) {
  struct Case {
    std::string text;
    bool found;
  };
  const Case cases[] = {
      {"|a 1", true},   {"|a", true},     {"|a|b", true},      {"|bc|a ", true},
      {"|a\x01", true}, {"|ab 1", false}, {"#a 1", false},     {"| a 1", false},
      {"a 1", false},   {"", false},      {"|# x |a 1", true}, {"|", false},
  };
  for (const Case& c : cases) {
    const Row row{.begin = c.text.data(), .end = c.text.data() + c.text.size()};
    EXPECT_EQ(has_cntk_name(row, "a"), c.found) << c.text;
  }
}

TEST(CtfCntkGrouper, TrailingDigitsAreNotARow) {
  const std::string text = "12\n";
  const Row row{.begin = text.data(), .end = text.data() + 2, .line = 1};
  CntkGrouper grouper(KeyMode::ids);
  EXPECT_FALSE(grouper.next(row, false).is_row);
  const CntkHead head = grouper.next(row, true);
  EXPECT_TRUE(head.is_row && head.begins);
  EXPECT_EQ(grouper.key().low, 12U);
}

}  // namespace
}  // namespace sheaf::ctf
