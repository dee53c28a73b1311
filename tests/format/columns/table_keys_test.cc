#include "format/columns/table_keys.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

TableKeys keys_of(const ArrowNode& node, bool are_texts) {
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(node, nullptr, *array);
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of({node}));
  return table_keys({.number = 0, .format = node.format, .are_texts = are_texts},
                    {.array = array.get(), .first = 0, .count = node.length},
                    MemoryBatches(std::move(batches)));
}

TEST(TableKeys, AreNumbersFromZero) {
  EXPECT_EQ(keys_of(numbers_of<std::int64_t>("l", {0, INT64_MAX}), false).keys[1].low,
            static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(keys_of(numbers_of<std::uint64_t>("L", {UINT64_MAX}), false).keys[0].low, UINT64_MAX);
  EXPECT_THROW(keys_of(numbers_of<std::int8_t>("c", {0, -1}), false), DataError);
}

TEST(TableKeys, TextsBecomeHashes) {
  const TableKeys keys = keys_of(texts_of({"a", "", "a"}), true);
  EXPECT_EQ(keys.texts, (std::vector<std::string>{"a", "", "a"}));
  EXPECT_EQ(keys.keys[0], key_of_text("a"));
  EXPECT_EQ(keys_of(views_of({"a", "a longer text than twelve"}), true).texts[1],
            "a longer text than twelve");
}

TEST(TableKeys, NumbersCanBeReadAsTexts) {
  const TableKeys keys = keys_of(numbers_of<std::int32_t>("i", {12}), true);
  EXPECT_EQ(keys.texts, std::vector<std::string>{"12"});
  EXPECT_EQ(keys.keys[0], key_of_text("12"));
}

TEST(TableKeys, ANullKeyIsAnError) {
  try {
    static_cast<void>(
        keys_of(with_validity(numbers_of<std::int32_t>("i", {1, 2}), {true, false}), false));
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("found a null in row 1 of batch 0"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace sheaf::columns
