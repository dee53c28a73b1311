#include "format/columns/kept_vocabularies.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"
#include "support/test_folder.h"

namespace sheaf::columns {
namespace {

using Parts = Vocabulary::Parts;

constexpr std::int32_t kNull = Vocabulary::kNull;

std::string shown_classes(const Vocabularies& vocabularies) {
  std::string text;
  for (const auto& [column, vocabulary] : vocabularies) {
    text += std::to_string(column) + ":";
    for (const std::string& name : *vocabulary->names()) text += " '" + name + "'";
    for (std::size_t i = 0; i < vocabulary->dictionaries().size(); ++i) {
      text += " |";
      for (const std::int32_t id : vocabulary->ids(static_cast<std::int64_t>(i))) {
        text += " " + std::to_string(id);
      }
    }
    text += "\n";
  }
  return text;
}

// Three batches, and classes with nulls, gaps, empty names, and names that are no UTF-8.
Vocabularies some_classes() {
  Vocabularies classes;
  classes[1] = std::make_shared<const Vocabulary>(
      Parts{.names = {"b", "", "\xff\n", "a"},
            .lists = {{0, 1, 2, kNull, kNull, 3}, {3, 2, 0, 1, 0}},
            .dictionaries = {{.list = 0, .count = 2}, {.list = 0, .count = 6}, {1, 5}}});
  classes[300] = std::make_shared<const Vocabulary>(
      Parts{.names = {"yes", "no"}, .lists = {{0, 1}}, .dictionaries = {{0, 2}, {0, 2}, {0, 2}}});
  classes[301] = std::make_shared<const Vocabulary>(
      Parts{.names = {}, .lists = {{}}, .dictionaries = {{0, 0}, {0, 0}, {0, 0}}});
  return classes;
}

TEST(ClassNotes, ComeBackAsTheyWere) {
  const std::string notes = notes_of_classes(some_classes());
  const std::optional<Vocabularies> back = classes_of_notes(notes, 3);
  ASSERT_TRUE(back);
  EXPECT_EQ(shown_classes(*back), shown_classes(some_classes()));
  EXPECT_EQ(notes_of_classes(*back), notes);
}

TEST(ClassNotes, OfNoClassesAreEmpty) {
  EXPECT_EQ(notes_of_classes({}), "");
  EXPECT_TRUE(classes_of_notes("", 3)->empty());
}

TEST(ClassNotes, BelongToTheirNumberOfBatches) {
  const std::string notes = notes_of_classes(some_classes());
  for (const std::int64_t count : {0, 1, 2, 4}) EXPECT_FALSE(classes_of_notes(notes, count));
}

TEST(ClassNotes, AnyBytesAreSafe) {
  const std::string notes = notes_of_classes(some_classes());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string other = notes;
      other[i] = static_cast<char>(byte);
      const auto found = classes_of_notes(other, 3);
      if (!found) continue;
      for (const auto& [column, vocabulary] : *found) {
        ASSERT_EQ(vocabulary->dictionaries().size(), 3U);
        for (std::int64_t batch = 0; batch < 3; ++batch) {
          for (const std::int32_t id : vocabulary->ids(batch)) {
            ASSERT_GE(id, kNull);
            ASSERT_LT(id, std::ssize(*vocabulary->names()));
          }
        }
      }
    }
  }
}

TEST(ClassNotes, ThatAreCutShortAreRefused) {
  Vocabularies one = some_classes();
  one.erase(300);
  one.erase(301);
  const std::string notes = notes_of_classes(one);
  for (std::size_t size = 1; size < notes.size(); ++size) {
    EXPECT_FALSE(classes_of_notes(notes.substr(0, size), 3)) << size;
  }
}

TEST(KeptVocabularies, AreReadOnceSomeColumnNeedsThem) {
  const TestFolder folder;
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of({named("c", classes_of({0}, {"b", "a"}))}));
  const auto table = std::make_shared<MemoryBatches>(std::move(batches));
  table->file = folder.path("t.parquet");
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const auto data = open_table(table, {}, options);
  static_cast<void>(data->index().chunk(ChunkIndex{0}));
  FileSystem& files = system_files();
  for (const IndexMode mode :
       {IndexMode::automatic, IndexMode::require, IndexMode::off, IndexMode::rebuild}) {
    options.index.mode = mode;
    KeptVocabularies kept(*table, options.index, files);
    const auto vocabulary = kept.find(0);
    EXPECT_EQ(vocabulary != nullptr, mode == IndexMode::automatic || mode == IndexMode::require);
    if (vocabulary) {
      EXPECT_EQ(*vocabulary->names(), (std::vector<std::string>{"b", "a"}));
    }
    EXPECT_EQ(kept.find(1), nullptr);
  }
  EXPECT_EQ(KeptVocabularies().find(0), nullptr);
}

}  // namespace
}  // namespace sheaf::columns
