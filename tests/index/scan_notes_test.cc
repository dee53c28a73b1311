#include "index/scan_notes.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

TEST(ScanNotes, ComesBackAsItWas) {
  const ChunkNotes notes{
      .streams = {{3, 4}, {5, 0}}, .unit_hashes = {~std::uint64_t{0}, 1}, .repeated = {7, 9}};
  const ChunkNotes back = notes_from_numbers(to_numbers(notes));
  ASSERT_EQ(back.streams.size(), 2U);
  EXPECT_EQ(back.streams[0].pair_count, 4);
  EXPECT_EQ(back.unit_hashes, notes.unit_hashes);
  EXPECT_EQ(back.repeated, notes.repeated);
  EXPECT_THROW((void)notes_from_numbers({3, 1}), InternalError);
  EXPECT_THROW((void)notes_from_numbers({-1}), InternalError);
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

}  // namespace
}  // namespace sheaf::internal
