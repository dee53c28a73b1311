#include "format/jsonl/jsonl_sparse.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

const Stream kSparseStream = {.name = "s", .sample_shape = Shape{10}, .storage = Storage::sparse};

struct Pairs {
  std::vector<std::int32_t> indices;
  std::vector<float> values;
  std::vector<std::int64_t> offsets;
  std::string code;
  std::int64_t column = 0;  // counted from the start of the value
};

Pairs read_pairs(const std::string& json) {
  const TestLine line("{\"s\":" + json + "}");
  EXPECT_TRUE(line.is_right()) << json;
  internal::ColumnWriter writer(kSparseStream);
  writer.begin_sequence();
  Fault fault;
  Pairs pairs;
  const ValueRequest request{line.field(), kSparseStream, line.row().end};
  if (!sparse_reader(kSparseStream)(request, writer, fault)) {
    pairs.code = fault.kind->code;
    pairs.column = line.column(fault.begin) - 5;
    return pairs;
  }
  writer.end_sequence(0, 1, true);
  const Column column = writer.finish();
  const auto indices = column.indices.as<std::int32_t>();
  const auto values = column.values.as<float>();
  const auto offsets = column.sample_offsets.as<std::int64_t>();
  pairs.indices.assign(indices.begin(), indices.end());
  pairs.values.assign(values.begin(), values.end());
  pairs.offsets.assign(offsets.begin(), offsets.end());
  return pairs;
}

TEST(JsonlSparse, SamplesAreObjectsOfIndicesAndValues) {
  const Pairs one = read_pairs(R"({"indices":[0, 9],"values":[0.5,-1]})");
  EXPECT_EQ(one.code, "");
  EXPECT_EQ(one.indices, (std::vector<std::int32_t>{0, 9}));
  EXPECT_EQ(one.values, (std::vector<float>{0.5F, -1}));
  const Pairs ones = read_pairs(R"({"indices":[3]})");
  EXPECT_EQ(ones.values, std::vector<float>{1});
  const Pairs several =
      read_pairs(R"([{"values":[2],"ind\u0069ces":[1]}, {"indices":[]},{"indices":[4,5]}])");
  EXPECT_EQ(several.code, "");
  EXPECT_EQ(several.indices, (std::vector<std::int32_t>{1, 4, 5}));
  EXPECT_EQ(several.offsets, (std::vector<std::int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(read_pairs("[]").code, "");
}

TEST(JsonlSparse, PairsAreSorted) {
  const Pairs pairs = read_pairs(R"({"indices":[5,1,3],"values":[50,10,30]})");
  EXPECT_EQ(pairs.indices, (std::vector<std::int32_t>{1, 3, 5}));
  EXPECT_EQ(pairs.values, (std::vector<float>{10, 30, 50}));
}

TEST(JsonlSparse, WrongSamplesHaveALocation) {
  struct Case {
    std::string json;
    std::string code;
    std::int64_t column;
  };
  const Case cases[] = {
      {"1", "jsonl-type", 1},
      {R"([{"indices":[1]},[2]])", "jsonl-type", 18},
      {"{}", "jsonl-sparse", 1},
      {R"({"values":[1]})", "jsonl-sparse", 1},
      {R"({"index":[1]})", "jsonl-sparse", 2},
      {R"({"indices":1})", "jsonl-type", 12},
      {R"({"indices":[1],"values":null})", "jsonl-type", 25},
      {R"({"indices":[1],"indices":[2]})", "jsonl-repeated-field", 16},
      {R"({"indices":[-1]})", "jsonl-index", 13},
      {R"({"indices":[1.0]})", "jsonl-index", 13},
      {R"({"indices":[9,10]})", "jsonl-index-range", 15},
      {R"({"indices":[99999999999999999999999]})", "jsonl-index-range", 13},
      {R"({"indices":[1,2],"values":[1]})", "jsonl-pairs", 27},
      {R"({"indices":[1],"values":[1,2]})", "jsonl-pairs", 25},
      {R"({"indices":[1],"values":["1"]})", "jsonl-type", 26},
      {R"({"indices":[1],"values":[1e39]})", "jsonl-number-range", 26},
      {R"({"indices":[3,1,2,1,3]})", "jsonl-duplicate-index", 19},
      {R"({"indices":[3,3]})", "jsonl-duplicate-index", 15},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    const Pairs pairs = read_pairs(c.json);
    EXPECT_EQ(pairs.code, c.code);
    EXPECT_EQ(pairs.column, c.column);
  }
}

TEST(JsonlSparse, IndicesAndValuesAreFound) {
  const TestLine line(R"({"s":{"values":[1],"indices":[2]}})");
  SparseParts parts;
  Fault fault;
  ASSERT_TRUE(find_parts(line.field().value, parts, fault));
  EXPECT_EQ(line.column(parts.values), 16);
  EXPECT_EQ(line.column(parts.indices), 30);
  EXPECT_EQ(line.column(parts.end), 34);
}

}  // namespace
}  // namespace sheaf::jsonl
