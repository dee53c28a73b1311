#include "index/scan_notes.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ScanNotes, ComesBackAsItWas) {
  const ChunkNotes notes{
      .streams = {{3, 4}, {5, 0}}, .unit_hashes = {~std::uint64_t{0}, 1}, .repeated = {7, 9}};
  const ChunkNotes back = notes_from_numbers(to_numbers(notes)).value();
  ASSERT_EQ(back.streams.size(), 2U);
  EXPECT_EQ(back.streams[0].pair_count, 4);
  EXPECT_EQ(back.unit_hashes, notes.unit_hashes);
  EXPECT_EQ(back.repeated, notes.repeated);
  for (const std::vector<std::int64_t>& numbers : std::vector<std::vector<std::int64_t>>{
           {}, {3, 1}, {-1}, {0, 0}, {0, 0, 0, 7}, {1, 5, 6, 0, 2, 1}, {std::int64_t{1} << 62}}) {
    EXPECT_FALSE(notes_from_numbers(numbers));
  }
}

TEST(ScanNotes, WarningsComeBackUnderThePathOfTheDay) {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.path = "old";
  warning.line = 3;
  warning.code = "ctf-unknown-stream";
  warning.found = "\"\xC3\xA9\"";
  const auto back = file_notes_from_json(to_json({.warnings = {warning}, .found = {}}), "new");
  warning.path = "new";
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, (FileNotes{.warnings = {warning}, .found = {}}));
}

TEST(ScanNotes, FoundStreamsComeBackWithAnyBytesInTheirNames) {
  Evidence evidence{.value_count = 2, .place = {}};
  evidence.place.path = "path";
  evidence.place.line = 7;
  evidence.place.excerpt = "0 |a 1 2";
  const FileNotes notes{
      .warnings = {},
      .found = FoundStreams{
          "some way",
          {{.name = "a\xFF\xC3", .numbers = evidence, .other = {}, .pairs = {}, .width_max = 2},
           {.name = "b", .numbers = {}, .other = {}, .pairs = evidence, .index_max = 3}}}};
  EXPECT_EQ(file_notes_from_json(to_json(notes), "path"), notes);
}

TEST(ScanNotes, OtherTextIsNoNotes) {
  for (const char* text :
       {"", "a note", "[]", "{}", R"({"warnings":[{}]})", R"({"warnings":[],"found":{"how":"x"}})",
        R"({"warnings":[],"found":{"how":1,"streams":[]}})"}) {
    EXPECT_FALSE(file_notes_from_json(text, "path")) << text;
  }
}

// Columns, places, and numbers that dims are made of.
TEST(ScanNotes, NumbersBeyondAnyFileAreNoNotes) {
  const auto notes = [](const std::string& name, const std::string& number) {
    std::string text =
        R"({"warnings":[{"line":1,"column":1,"byte_offset":0,"excerpt":"abc","excerpt_begin":0,)"
        R"("excerpt_size":3,"stream":"","code":"","expected":"","found":"","hint":""}],)"
        R"("found":{"how":"x","streams":[{"name":[97],"numbers":null,"other":null,"pairs":null,)"
        R"("width_max":2,"index_max":3}]}})";
    const std::size_t at = text.find("\"" + name + "\":") + name.size() + 3;
    return text.replace(at, 1, number);
  };
  EXPECT_TRUE(file_notes_from_json(notes("line", "1"), "path"));
  for (const char* name :
       {"line", "column", "byte_offset", "excerpt_begin", "excerpt_size", "width_max"}) {
    for (const char* number : {"-2", "9223372036854775807", "9223372036854775808",
                               "18446744073709551615", "1e30", "1.5", "true", "null"}) {
      EXPECT_FALSE(file_notes_from_json(notes(name, number), "path")) << name << " " << number;
    }
  }
  EXPECT_FALSE(file_notes_from_json(notes("index_max", "9223372036854775807"), "path"));
  EXPECT_FALSE(file_notes_from_json(notes("index_max", "-2"), "path"));
  EXPECT_FALSE(file_notes_from_json(notes("excerpt_begin", "4"), "path"));
  EXPECT_FALSE(file_notes_from_json(notes("excerpt_size", "5"), "path"));
}

}  // namespace
}  // namespace sheaf::internal
