#include "format/columns/chained_batches.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

std::shared_ptr<const ArrowBatches> table_with(std::vector<ArrowNode> batches) {
  return std::make_shared<const MemoryBatches>(std::move(batches));
}

ArrowNode batch_of(std::vector<std::int32_t> values) {
  return struct_of({named("x", numbers_of<std::int32_t>("i", std::move(values)))});
}

TEST(ChainedBatches, AreConcatenated) {
  const auto chain = std::make_shared<const ChainedBatches>(
      std::vector{table_with({batch_of({1, 2}), batch_of({3})}), table_with({batch_of({})}),
                  table_with({batch_of({4, 5})})});
  EXPECT_EQ(chain->batch_count(), 4);
  EXPECT_EQ(chain->row_count(2), 0);
  EXPECT_EQ(chain->row_count(3), 2);
  EXPECT_EQ(shown(*open_table(chain)), "0 x=[1]; 1 x=[2]; 2 x=[3]; 3 x=[4]; 4 x=[5]");
}

TEST(ChainedBatches, ClassesHaveOneVocabulary) {
  const auto one = [](const std::vector<std::string>& names) {
    return table_with({struct_of({named("c", classes_of({0, 1}, names))})});
  };
  EXPECT_EQ(shown(*open_table(std::make_shared<const ChainedBatches>(
                std::vector{one({"a", "b"}), one({"b", "c"})}))),
            "0 c=[0]; 1 c=[1]; 2 c=[1]; 3 c=[2]");
}

TEST(ChainedBatches, LengthsAreCheapIfThoseOfAllMembersAre) {
  const auto member = [](bool is_cheap) {
    auto table = std::make_shared<MemoryBatches>(std::vector{batch_of({1})});
    table->has_cheap_lengths = is_cheap;
    return table;
  };
  EXPECT_TRUE(ChainedBatches({member(true), member(true)}).reads_lengths());
  EXPECT_FALSE(ChainedBatches({member(true), member(false)}).reads_lengths());
}

TEST(ChainedBatches, OtherTypesAreRefusedByName) {
  const auto other = table_with({struct_of({named("x", numbers_of<float>("f", {1}))})});
  try {
    const ChainedBatches chain({table_with({batch_of({1})}), other});
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "t.arrow and t.arrow are no table together: column 1 is \"x\" int32, and there "
                 "\"x\" float");
  }
}

TEST(ChainedBatches, ItemNamesMayDiffer) {
  const auto one = [](const char* item) {
    return table_with({struct_of(
        {named("x", list_of({0, 1}, named(item, numbers_of<std::int32_t>("i", {7}))))})});
  };
  EXPECT_EQ(shown(*open_table(
                std::make_shared<const ChainedBatches>(std::vector{one("item"), one("element")}))),
            "0 x=[7]; 1 x=[7]");
}

}  // namespace
}  // namespace sheaf::columns
