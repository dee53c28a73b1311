#include "sheaf/diagnostic.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

Diagnostic example() {
  Diagnostic diagnostic{.path = "train.ctf",
                        .line = 1042,
                        .column = 19,
                        .byte_offset = 88213,
                        .sequence_key = "318",
                        .stream = "features",
                        .code = "ctf-number",
                        .expected = "a number",
                        .found = "\"1.2.3\""};
  set_excerpt(diagnostic, "318 |features 0.5 1.2.3 0.9 |labels 1:1", 18, 5);
  return diagnostic;
}

TEST(Diagnostic, ReadsLikeACompilersMessage) {
  EXPECT_EQ(to_string(example()),
            "train.ctf:1042:19: error: stream \"features\": expected a number, found \"1.2.3\" "
            "[ctf-number]\n"
            "  318 |features 0.5 1.2.3 0.9 |labels 1:1\n"
            "                    ^~~~~");
}

TEST(Diagnostic, NamesTheByteInsteadOfALine) {
  Diagnostic diagnostic{.path = "a.bin", .byte_offset = 17, .expected = "8 bytes", .found = "3"};
  diagnostic.severity = Severity::warning;
  diagnostic.hint = "the file was cut short";
  EXPECT_EQ(to_string(diagnostic),
            "a.bin: byte 17: warning: expected 8 bytes, found 3\n  the file was cut short");
}

TEST(Diagnostic, NamesTheSequenceWhenTheLocationIsUnknown) {
  EXPECT_EQ(to_string(Diagnostic{.path = "a.bin",
                                 .byte_offset = Diagnostic::kNoOffset,
                                 .sequence_key = "17",
                                 .stream = "x",
                                 .expected = "a number"}),
            "a.bin: sequence 17: error: stream \"x\": expected a number");
  EXPECT_EQ(to_string(Diagnostic{.path = "a.bin",
                                 .byte_offset = Diagnostic::kNoOffset,
                                 .expected = "at least one sequence"}),
            "a.bin: error: expected at least one sequence");
  EXPECT_EQ(to_string(Diagnostic{.path = "a.scp",
                                 .line = 4,
                                 .byte_offset = Diagnostic::kNoOffset,
                                 .sequence_key = "17",
                                 .expected = "a number"}),
            "a.scp:4: error: expected a number");
}

TEST(Diagnostic, IsOneLineForAnyKey) {
  using std::string_literals::operator""s;
  const Diagnostic diagnostic = {.path = "a.bin",
                                 .byte_offset = Diagnostic::kNoOffset,
                                 .sequence_key = "a\0b\nc\td\x1B\xFF caf\xC3\xA9\\"s,
                                 .expected = "one key",
                                 .found = "u\0v, too"s};
  EXPECT_EQ(
      to_string(diagnostic),
      "a.bin: sequence a\\u0000b\\u000ac\\u0009d\\u001b\\xff caf\xC3\xA9\\: error: expected one "
      "key, found u\\u0000v, too");
  EXPECT_EQ(message(diagnostic), "expected one key, found u\\u0000v, too");
  EXPECT_EQ(diagnostic.sequence_key.size(), 16) << "the field keeps the bytes";
}

TEST(Excerpt, ShowsTheTextAroundTheError) {
  Diagnostic diagnostic;
  const std::string line = std::string(200, 'a') + "WRONG" + std::string(200, 'b');
  set_excerpt(diagnostic, line, 200, 5);
  EXPECT_EQ(diagnostic.excerpt,
            "..." + std::string(40, 'a') + "WRONG" + std::string(55, 'b') + "...");
  EXPECT_EQ(diagnostic.excerpt_begin, 43);
  EXPECT_EQ(diagnostic.excerpt_size, 5);
}

TEST(Excerpt, IsPrintableAndCountsCharacters) {
  struct Case {
    std::string_view line;
    std::int64_t begin;
    std::int64_t size;
    std::string_view excerpt;
    std::int64_t excerpt_begin;
    std::int64_t excerpt_size;
  };
  const Case cases[] = {
      {"a\tb\x01 c", 3, 1, "a b? c", 3, 1},                    // tab and control byte
      {"caf\xC3\xA9 x", 6, 1, "caf\xC3\xA9 x", 5, 1},          // two bytes, one character
      {"\xC3( \xFF", 3, 1, "?( ?", 3, 1},                      // not characters at all
      {"\xED\xA0\x80", 0, 3, "???", 0, 3},                     // half of a surrogate pair
      {"\xF0\x9F\x98\x80!", 4, 1, "\xF0\x9F\x98\x80!", 1, 1},  // four bytes
      {"a\xC2\x9B\x31m", 3, 1, "a?1m", 2, 1},                  // a control character of C1
      {"a\xE2\x80\xAE"
       "b",
       4, 1, "a?b", 2, 1},       // reverses the direction
      {"ab", 2, 0, "ab", 2, 1},  // after the end
      {"", 0, 0, "", 0, 1},      // an empty line
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    Diagnostic diagnostic;
    set_excerpt(diagnostic, c.line, c.begin, c.size);
    EXPECT_EQ(diagnostic.excerpt, c.excerpt);
    EXPECT_EQ(diagnostic.excerpt_begin, c.excerpt_begin);
    EXPECT_EQ(diagnostic.excerpt_size, c.excerpt_size);
  }
}

TEST(TerminalText, HasNoControlCharacters) {
  EXPECT_EQ(terminal_text("a b\tc\nd"), "a b\tc\nd");
  EXPECT_EQ(terminal_text("\x1B[31m\r\x7F\x01"), "\\u001b[31m\\u000d\\u007f\\u0001");
  EXPECT_EQ(terminal_text("\xC2\x80\xC2\x9B\xC2\x9F\xC2\xA0"), "\\u0080\\u009b\\u009f\xC2\xA0");
  EXPECT_EQ(terminal_text("\xE2\x80\xAA\xE2\x80\xAE\xE2\x80\xAF"), "\\u202a\\u202e\xE2\x80\xAF");
  EXPECT_EQ(terminal_text("\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA"), "\\u2066\\u2069\xE2\x81\xAA");
  EXPECT_EQ(terminal_text("\xE2\x80\xA8\xE2\x80\x8F\xD8\x9C"), "\\u2028\\u200f\\u061c");
  EXPECT_EQ(terminal_text("caf\xC3\xA9 \xF0\x9F\x98\x80 \xFF"),
            "caf\xC3\xA9 \xF0\x9F\x98\x80 \\xff");
}

TEST(Quoted, IsPrintableAndShort) {
  EXPECT_EQ(quoted("1.2.3"), "\"1.2.3\"");
  EXPECT_EQ(quoted("a\tb\r\n\x01\xFF\"\\"), "\"a\\tb\\r\\n\\x01\\xff\\\"\\\\\"");
  EXPECT_EQ(quoted("abcdef", 3), "\"abc...\"");
}

TEST(Diagnostics, DescribeTheFirstAndCountTheRest) {
  Diagnostics diagnostics(2);
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(diagnostics.wants_text(), i < 2);
    diagnostics.add(10 + i, {.byte_offset = 100 * i});
  }
  EXPECT_EQ(diagnostics.described().size(), 2U);
  ASSERT_EQ(diagnostics.entries().size(), 5U);
  EXPECT_EQ(diagnostics.entries()[4].sequence, 14);
  EXPECT_EQ(diagnostics.entries()[4].byte_offset, 400);
}

// A file full of errors must not fill memory, but each sequence with an error needs one.
TEST(Diagnostics, KeepOnlyTheFirstErrorOfASequenceAboveALimit) {
  Diagnostics diagnostics;
  for (std::int64_t i = 0; i < Diagnostics::kNotedMax - 1; ++i) diagnostics.add(3, {});
  EXPECT_FALSE(diagnostics.is_full());
  diagnostics.add(3, {});
  EXPECT_TRUE(diagnostics.is_full());
  for (const std::int64_t sequence : {3, 4, 4, 7, 7, 7}) {
    diagnostics.add(sequence, {.severity = Severity::warning});
    diagnostics.add(sequence, {.severity = Severity::fatal});
    diagnostics.add(sequence, {.severity = Severity::warning});
  }
  ASSERT_EQ(std::ssize(diagnostics.entries()), Diagnostics::kNotedMax + 2);
  EXPECT_EQ(diagnostics.warning_count(), 0);
  const auto last = diagnostics.entries().last(2);
  EXPECT_EQ(last[0].sequence, 4);
  EXPECT_EQ(last[1].sequence, 7);
  EXPECT_EQ(last[1].severity, Severity::fatal);
  EXPECT_GE(diagnostics.memory_bytes(), 24 * Diagnostics::kNotedMax);
  EXPECT_LE(diagnostics.memory_bytes(), 100 * Diagnostics::kNotedMax);
}

TEST(Diagnostics, WarningsAreCountedAndDescribedApartFromErrors) {
  Diagnostics diagnostics(2);
  const Severity severities[] = {Severity::warning, Severity::error, Severity::warning,
                                 Severity::warning, Severity::fatal, Severity::error};
  for (const Severity severity : severities) {
    diagnostics.add(0, {.severity = severity, .byte_offset = std::ssize(diagnostics.entries())});
  }
  EXPECT_EQ(diagnostics.error_count(), 3);
  EXPECT_EQ(diagnostics.warning_count(), 3);
  std::vector<std::int64_t> descriptions;
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    descriptions.push_back(entry.description);
    EXPECT_EQ(entry.counts(), entry.severity != Severity::warning);
    if (entry.description >= 0) {
      const auto at = static_cast<std::size_t>(entry.description);
      EXPECT_EQ(diagnostics.described()[at].byte_offset, entry.byte_offset);
    }
  }
  EXPECT_EQ(descriptions, (std::vector<std::int64_t>{0, 1, 2, -1, 3, -1}));
  EXPECT_FALSE(diagnostics.wants_text(Severity::warning));
  EXPECT_FALSE(diagnostics.wants_text(Severity::fatal));
}

}  // namespace
}  // namespace sheaf
