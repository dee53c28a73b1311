#include "format/columns/vocabulary.h"

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

Vocabulary vocabulary_of(std::vector<ArrowNode> columns) {
  std::vector<ArrowNode> batches;
  batches.reserve(columns.size());
  for (ArrowNode& column : columns) batches.push_back(struct_of({std::move(column)}));
  return {MemoryBatches(std::move(batches)), 0, "u"};
}

Vocabulary::Ids ids_of(const Vocabulary& vocabulary, std::int64_t batch) {
  const std::span<const std::int32_t> ids = vocabulary.ids(batch);
  return {ids.begin(), ids.end()};
}

TEST(Vocabulary, NumbersTextsInOrderOfAppearance) {
  const Vocabulary vocabulary =
      vocabulary_of({classes_of({}, {"b", "a"}), classes_of({}, {"c", "a", "a"})});
  EXPECT_EQ(*vocabulary.names(), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(ids_of(vocabulary, 0), (Vocabulary::Ids{0, 1}));
  EXPECT_EQ(ids_of(vocabulary, 1), (Vocabulary::Ids{2, 1, 1}));
}

TEST(Vocabulary, BatchesShareEqualDictionaries) {
  const Vocabulary vocabulary =
      vocabulary_of({classes_of({}, {"b", "a"}), classes_of({}, {"b", "a"})});
  EXPECT_EQ(vocabulary.ids(0).data(), vocabulary.ids(1).data());
}

TEST(Vocabulary, DictionariesThatGrowShareAList) {
  const Vocabulary vocabulary =
      vocabulary_of({classes_of({}, {"b"}), classes_of({}, {"b", "a"}), classes_of({}, {"b"}),
                     classes_of({}, {"a", "b"}), classes_of({}, {"a", "b", "c"})});
  EXPECT_EQ(vocabulary.lists(), (std::vector<Vocabulary::Ids>{{0, 1}, {1, 0, 2}}));
  EXPECT_EQ(ids_of(vocabulary, 0), (Vocabulary::Ids{0}));
  EXPECT_EQ(ids_of(vocabulary, 1), (Vocabulary::Ids{0, 1}));
  EXPECT_EQ(ids_of(vocabulary, 2), (Vocabulary::Ids{0}));
  EXPECT_EQ(ids_of(vocabulary, 3), (Vocabulary::Ids{1, 0}));
  EXPECT_EQ(ids_of(vocabulary, 4), (Vocabulary::Ids{1, 0, 2}));
}

TEST(Vocabulary, ANullHasNoNumber) {
  ArrowNode column = classes_of({}, {"b", "a"});
  column.dictionary[0] = with_validity(column.dictionary[0], {false, true});
  const Vocabulary vocabulary = vocabulary_of({column});
  EXPECT_EQ(*vocabulary.names(), std::vector<std::string>{"a"});
  EXPECT_EQ(ids_of(vocabulary, 0), (Vocabulary::Ids{Vocabulary::kNull, 0}));
}

TEST(Vocabulary, FindsDictionariesInLists) {
  const Vocabulary vocabulary = vocabulary_of({list_of({0}, classes_of({}, {"z"}))});
  EXPECT_EQ(*vocabulary.names(), std::vector<std::string>{"z"});
}

TEST(Vocabulary, RefusesTextsOutsideTheirBuffer) {
  ArrowNode column = classes_of({}, {"b", "a"});
  auto offsets = buffer_of<std::int32_t>({0, 5, 2});
  column.dictionary[0].buffers[1] = offsets->data();
  EXPECT_THROW(vocabulary_of({column}), DataError);
}

}  // namespace
}  // namespace sheaf::columns
