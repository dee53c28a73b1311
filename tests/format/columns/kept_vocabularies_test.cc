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
constexpr TableSize kTable{.batches = 3, .columns = 302};

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
  const std::optional<Vocabularies> back = classes_of_notes(notes, kTable);
  ASSERT_TRUE(back);
  EXPECT_EQ(shown_classes(*back), shown_classes(some_classes()));
  EXPECT_EQ(notes_of_classes(*back), notes);
}

TEST(ClassNotes, OfNoClassesAreEmpty) {
  EXPECT_EQ(notes_of_classes({}), "");
  EXPECT_TRUE(classes_of_notes("", kTable)->empty());
}

TEST(ClassNotes, BelongToTheirNumberOfBatches) {
  const std::string notes = notes_of_classes(some_classes());
  for (const std::int64_t count : {0, 1, 2, 4}) {
    EXPECT_FALSE(classes_of_notes(notes, {.batches = count, .columns = 302}));
  }
}

TEST(ClassNotes, BelongToColumnsOfTheTable) {
  const std::string notes = notes_of_classes(some_classes());
  for (const std::int64_t count : {0, 1, 300, 301}) {
    EXPECT_FALSE(classes_of_notes(notes, {.batches = 3, .columns = count})) << count;
  }
}

TEST(ClassNotes, HaveEachColumnOnceInTheirOrder) {
  Vocabularies first = some_classes();
  Vocabularies second;
  second.insert(first.extract(300));
  const std::string one = notes_of_classes(first);
  const std::string other = notes_of_classes(second);
  EXPECT_FALSE(classes_of_notes(one + other, kTable));
  EXPECT_FALSE(classes_of_notes(other + other, kTable));
  EXPECT_TRUE(classes_of_notes(other, kTable));
}

TEST(ClassNotes, KeepRunsOfAnyLength) {
  for (const int length : {1, 63, 64, 65, 127, 128, 129, 1000}) {
    SCOPED_TRACE(length);
    Parts parts{.lists = {{}}, .dictionaries = {{0, static_cast<std::size_t>(length)}}};
    for (int i = 0; i < length; ++i) {
      parts.names.push_back(std::to_string(i));
      parts.lists[0].push_back(i);
    }
    parts.dictionaries.resize(3, parts.dictionaries[0]);
    const Vocabularies classes{{0, std::make_shared<const Vocabulary>(std::move(parts))}};
    const std::optional<Vocabularies> back = classes_of_notes(notes_of_classes(classes), kTable);
    ASSERT_TRUE(back);
    EXPECT_EQ(shown_classes(*back), shown_classes(classes));
  }
}

// A run of 65 classes is refused. Otherwise, a few bytes could ask for any amount of memory.
TEST(ClassNotes, WithLongRunsAreRefused) {
  for (const char length : {'\x40', '\x41'}) {
    std::string notes("\0\x64", 2);  // column 0, 100 names
    for (int i = 0; i < 100; ++i) notes += std::string("\1n", 2);
    notes += std::string("\1\1\1", 3) + length;  // one list of one run from class 0 on
    notes += std::string("\3\0", 2) + length;    // the dictionary of three batches
    EXPECT_EQ(classes_of_notes(notes, kTable).has_value(), length == '\x40');
  }
}

TEST(ClassNotes, AnyBytesAreSafe) {
  const std::string notes = notes_of_classes(some_classes());
  for (std::size_t i = 0; i < notes.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string other = notes;
      other[i] = static_cast<char>(byte);
      const auto found = classes_of_notes(other, kTable);
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
    EXPECT_FALSE(classes_of_notes(notes.substr(0, size), kTable)) << size;
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
