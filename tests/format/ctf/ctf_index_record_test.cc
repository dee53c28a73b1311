#include "format/ctf/ctf_index_record.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::ctf {
namespace {

TEST(CtfIndexRecord, ComesBackAsItWas) {
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

TEST(CtfIndexRecord, WarningsComeBackUnderThePathOfTheDay) {
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

TEST(CtfIndexRecord, FoundStreamsComeBackWithAnyBytesInTheirNames) {
  const auto source = memory_source("0 |a\xFF\xC3 1 2 |b 3:1 |c 1\n1 |c 1 2 |c 1:1\n", "path");
  const FormatOptions options;
  const FileNotes notes{.warnings = {},
                        .found = find_streams(*source, options, find_beginning(*source, options))};
  ASSERT_EQ(notes.found->streams.size(), 3U);
  EXPECT_EQ(file_notes_from_json(to_json(notes), "path"), notes);
}

TEST(CtfIndexRecord, OtherTextIsNoNotes) {
  for (const char* text :
       {"", "a note", "[]", "{}", R"({"warnings":[{}]})", R"({"warnings":[],"found":{"how":"x"}})",
        R"({"warnings":[],"found":{"how":1,"streams":[]}})"}) {
    EXPECT_FALSE(file_notes_from_json(text, "path")) << text;
  }
}

}  // namespace
}  // namespace sheaf::ctf
