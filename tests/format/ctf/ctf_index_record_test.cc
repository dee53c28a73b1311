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
  const auto back = warnings_from_json(to_json({warning}), "new");
  warning.path = "new";
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0], warning);
}

}  // namespace
}  // namespace sheaf::ctf
