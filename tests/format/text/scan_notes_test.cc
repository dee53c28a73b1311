#include "format/text/scan_notes.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ScanNotes, WarningsAreRestoredUnderTheCurrentPath) {
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

TEST(ScanNotes, InferredStreamsRoundTripWithAnyBytesInNames) {
  Evidence evidence{.value_count = 2, .location = {}};
  evidence.location.path = "path";
  evidence.location.line = 7;
  evidence.location.excerpt = "0 |a 1 2";
  const FileNotes notes{
      .warnings = {},
      .found = FoundStreams{
          "some way",
          {{.name = "a\xFF\xC3", .numbers = evidence, .other = {}, .pairs = {}, .width_max = 2},
           {.name = "b", .numbers = {}, .other = {}, .pairs = evidence, .index_max = 3},
           {.name = "c", .numbers = {}, .texts = evidence, .value_types = 5}}}};
  EXPECT_EQ(file_notes_from_json(to_json(notes), "path"), notes);
}

TEST(ScanNotes, OtherTextIsRefused) {
  for (const char* text :
       {"", "a note", "[]", "{}", R"({"warnings":[{}]})", R"({"warnings":[],"found":{"how":"x"}})",
        R"({"warnings":[],"found":{"how":1,"streams":[]}})"}) {
    EXPECT_FALSE(file_notes_from_json(text, "path")) << text;
  }
}

TEST(ScanNotes, FractionalNumbersAreRefused) {
  const std::string good =
      R"({"warnings":[],"found":{"how":"","streams":[{"name":[120],"numbers":null,"other":null,)"
      R"("pairs":null,"width_max":1,"index_max":0}]}})";
  EXPECT_TRUE(file_notes_from_json(good, "path"));
  for (const auto& [from, to] : {std::pair{"[120]", "[256]"},
                                 {"[120]", "[-1]"},
                                 {"[120]", "[1e300]"},
                                 {"[120]", "[1.5]"},
                                 {"\"width_max\":1", "\"width_max\":1e300"},
                                 {"\"width_max\":1", "\"width_max\":true"},
                                 {"\"index_max\":0", "\"index_max\":18446744073709551615"},
                                 {"\"index_max\":0", "\"index_max\":92233720368547758080"}}) {
    std::string text = good;
    text.replace(text.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(file_notes_from_json(text, "path")) << text;
  }
}

TEST(ScanNotes, ImpossibleNumbersAreRefused) {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.excerpt = "0 |a";
  warning.excerpt_begin = 2;
  warning.excerpt_size = 3;
  const auto comes_back = [](const FileNotes& notes) {
    return file_notes_from_json(to_json(notes), "path").has_value();
  };
  EXPECT_TRUE(comes_back({.warnings = {warning}, .found = {}}));
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number : {std::int64_t{-2}, kMax}) {
    for (const auto member : {&Diagnostic::line, &Diagnostic::column, &Diagnostic::byte_offset,
                              &Diagnostic::excerpt_begin, &Diagnostic::excerpt_size}) {
      Diagnostic wrong = warning;
      wrong.*member = number;
      EXPECT_FALSE(comes_back({.warnings = {wrong}, .found = {}}));
    }
    for (const auto member : {&FoundStream::width_max, &FoundStream::index_max}) {
      FoundStream wrong{.name = "a"};
      wrong.*member = number;
      EXPECT_FALSE(comes_back({.warnings = {}, .found = FoundStreams{"", {wrong}}}));
    }
  }
  warning.excerpt_size = 4;
  EXPECT_FALSE(comes_back({.warnings = {warning}, .found = {}})) << "a mark without a text";
}

}  // namespace
}  // namespace sheaf::internal
