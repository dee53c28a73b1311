#include "format/jsonl/jsonl_counts.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

internal::StreamCounts count(const Stream& stream, const std::string& json) {
  const TestLine line("{\"x\":" + json + "}");
  EXPECT_TRUE(line.is_right()) << json;
  return counts_of(line.field(), stream);
}

using Counts = internal::StreamCounts;

TEST(JsonlCounts, DenseSamplesAreElementsOrWholeLists) {
  const Stream one{.name = "x", .sample_shape = Shape{1}};
  const Stream two{.name = "x", .sample_shape = Shape{2}};
  EXPECT_EQ(count(one, "null"), Counts());
  EXPECT_EQ(count(one, "1"), Counts{1});
  EXPECT_EQ(count(one, "[]"), Counts{0});
  EXPECT_EQ(count(one, "[1,2,3]"), Counts{3});
  EXPECT_EQ(count(two, "[1,2]"), Counts{1});
  EXPECT_EQ(count(two, "[[1,2],[3,4],[5,6]]"), Counts{3});
  EXPECT_EQ(count(two, "[]"), Counts{0});
}

TEST(JsonlCounts, SparseSamplesHavePairs) {
  const Stream stream{.name = "x", .sample_shape = Shape{9}, .storage = Storage::sparse};
  EXPECT_EQ(count(stream, R"({"values":[1,2],"indices":[3,4]})"), (Counts{1, 2}));
  EXPECT_EQ(count(stream, R"([{"indices":[]},{"ind\u0069ces":[1,2,3]}])"), (Counts{2, 3}));
  EXPECT_EQ(count(stream, R"({"values":[1]})"), (Counts{1, 0}));  // the value is wrong
  EXPECT_EQ(count(stream, R"([1,{"indices":2}])"), (Counts{2, 0}));
}

TEST(JsonlCounts, TextsHaveBytes) {
  const Stream stream{
      .name = "x", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
  EXPECT_EQ(count(stream, R"("a\u00e9")"), (Counts{1, 3}));
  EXPECT_EQ(count(stream, R"(["","ab"])"), (Counts{2, 2}));
  EXPECT_EQ(count(stream, "5"), (Counts{1, 0}));
}

}  // namespace
}  // namespace sheaf::jsonl
