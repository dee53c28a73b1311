#include "format/jsonl/jsonl_look.h"

#include <string>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

Look look(const std::string& json) {
  const TestLine line("{\"x\":" + json + "}");
  EXPECT_TRUE(line.is_right()) << json;
  return look_at(line.field());
}

TEST(JsonlLook, NumbersHaveTypesAndSizes) {
  EXPECT_EQ(look("1").kind, Look::Kind::numbers);
  EXPECT_EQ(look("1").types, Look::kWhole);
  EXPECT_EQ(look("9223372036854775807").types, Look::kWhole);
  EXPECT_EQ(look("9223372036854775808").types, Look::kReal);
  EXPECT_EQ(look("1.0").types, Look::kReal);
  EXPECT_EQ(look("true").types, Look::kTruths);
  EXPECT_EQ(look("[1,2.5]").types, Look::kWhole | Look::kReal);
  EXPECT_EQ(look("[1,2.5]").width, 1);
  EXPECT_EQ(look("[[1,2,3],[4,5,6]]").width, 3);
  EXPECT_EQ(look("[[1],[2]]").width, 1);
}

TEST(JsonlLook, TextsAndPairsAreRecognized) {
  EXPECT_EQ(look("\"1\"").kind, Look::Kind::texts);
  EXPECT_EQ(look("[\"\",\"a\"]").kind, Look::Kind::texts);
  const Look pairs = look(R"([{"indices":[7,2],"values":[1,2.5]},{"indices":[]}])");
  EXPECT_EQ(pairs.kind, Look::Kind::pairs);
  EXPECT_EQ(pairs.index_max, 7);
  EXPECT_EQ(pairs.types, Look::kWhole | Look::kReal);
  EXPECT_EQ(look(R"({"indices":[99999999999999999999]})").index_max, std::int64_t{1} << 40);
}

TEST(JsonlLook, NullAndEmptyListsAreIgnored) {
  EXPECT_EQ(look("null").kind, Look::Kind::nothing);
  EXPECT_EQ(look("[]").kind, Look::Kind::nothing);
}

TEST(JsonlLook, UnsupportedValuesAreErrors) {
  for (const std::string json :
       {"{}", "{\"a\":1}", "[null]", "[1,\"a\"]", "[1,[2]]", "[[1],[2,3]]", "[[]]", "[[[1]]]",
        "[[\"a\"]]", "[{\"indices\":[1]},2]", "{\"indices\":[-1]}", "{\"indices\":[1],\"b\":2}",
        "{\"indices\":[1],\"values\":[\"a\"]}"}) {
    EXPECT_EQ(look(json).kind, Look::Kind::wrong) << json;
  }
}

}  // namespace
}  // namespace sheaf::jsonl
