#include "format/mlf/mlf_lines.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::mlf {
namespace {

Row row_of(std::string_view text) {
  return {.begin = text.data(), .end = text.data() + text.size(), .offset = 0, .line = 1};
}

/// Returns "first-last", or the error.
std::string times(std::string_view line, const Options& options) {
  const Times found = lex_times(line.data(), line.data() + line.size(), options);
  if (found.wrong != nullptr) return std::string(found.wrong->code);
  return std::to_string(found.first) + "-" + std::to_string(found.last);
}

TEST(MlfLines, SeparateUtterances) {
  const Options options;
  LineSplitter lines(options);
  const struct {
    std::string_view text;
    Line line;
    std::string_view key;
  } rows[] = {
      {"#!MLF!#", Line::none, ""},
      {" \t", Line::none, ""},
      {"  \"*/a/b.c.lab\"\t", Line::name, "a/b.c"},
      {"", Line::none, ""},
      {"#!MLF!#", Line::range, ""},
      {"..", Line::range, ""},
      {" . ", Line::end, ""},
      {".", Line::stray, "."},
      {"\"*/\"", Line::name, "\"*/\""},
      {".", Line::end, ""},
      {"\"**/a\"", Line::name, "\"**/a\""},
  };
  for (const auto& row : rows) {
    const Line line = lines.next(row_of(row.text));
    EXPECT_EQ(line, row.line) << row.text;
    if (!row.key.empty()) {
      EXPECT_EQ(lines.key_text(), row.key);
    }
  }
  EXPECT_TRUE(lines.is_inside());
  EXPECT_FALSE(lines.has_name());
}

TEST(MlfLines, CntkTakesMarksAndNamesLiterally) {
  Options options;
  options.is_cntk = true;
  LineSplitter lines(options);
  const struct {
    std::string_view text;
    Line line;
    bool has_name;
  } rows[] = {
      {"#!MLF!#", Line::none, false},    {"\"a.lab\" \t", Line::name, true},
      {"0 1 s", Line::range, true},      {".", Line::end, true},
      {" \"b.lab\"", Line::name, false}, {"0 1 s", Line::range, false},
      {".", Line::end, false},           {".", Line::name, false},  // takes c along
      {"\"c.lab\"", Line::range, false}, {"0 1 s", Line::range, false},
      {".", Line::end, false},           {"#!MLF!# ", Line::name, false},
      {".", Line::end, false},           {"\"d\"e.lab\"", Line::name, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(lines.next(row_of(row.text)), row.line) << row.text;
    if (row.line != Line::none) {
      EXPECT_EQ(lines.has_name(), row.has_name) << row.text;
    }
  }
}

TEST(MlfLines, TheLengthOfARangeDeterminesTheUnit) {
  Options options = parse_options({});
  EXPECT_EQ(times("0 100000 x", options), "0-1");
  EXPECT_EQ(times("0 99999", options), "0-1");
  EXPECT_EQ(times("0 99998", options), "0-99998");
  EXPECT_EQ(times("50000 150000", options), "1-2") << "halves are rounded up";
  EXPECT_EQ(times("49999 149999", options), "0-1");
  EXPECT_EQ(times("0 349999.6", options), "0-3");
  EXPECT_EQ(times("350000.4 700000", options), "4-7");
  EXPECT_EQ(times("300000 300000", options), "300000-300000");
  EXPECT_EQ(times("1.9 2.9e0", options), "1-2") << "digits after the point are ignored";
  options.unit = Options::Unit::htk;
  EXPECT_EQ(times("0 50000", options), "0-1");
  options.unit = Options::Unit::frames;
  EXPECT_EQ(times("0 100000", options), "0-100000");
}

TEST(MlfLines, TimesAreLimited) {
  Options options = parse_options({});
  options.unit = Options::Unit::frames;
  EXPECT_EQ(times("0 4194304", options), "0-4194304");
  EXPECT_EQ(times("0 4194305", options), "mlf-long");
  options.unit = Options::Unit::automatic;
  for (const std::string_view end :
       {"999999999999999", "1000000000000000", "99999999999999999999", "1e300", "1e308"}) {
    EXPECT_EQ(times("0 " + std::string(end), options), "mlf-long") << end;
  }
  EXPECT_EQ(times("0 1e309", options), "mlf-time");
  EXPECT_EQ(times("0 inf", options), "mlf-time");
  EXPECT_EQ(times("1 0", options), "mlf-order");
  EXPECT_EQ(times("1", options), "mlf-columns");
}

TEST(MlfLines, IdsHave16Bits) {
  EXPECT_EQ(lex_id("0"), 0);
  EXPECT_EQ(lex_id("00065535"), 65'535);
  for (const std::string_view text : {"", "65536", "99999999999999999999", "-1", "+1", "1.0"}) {
    EXPECT_EQ(lex_id(text), -1) << text;
  }
}

TEST(MlfLines, TheLabelIsTheThirdColumnOrTheLastOfFour) {
  const auto label = [](std::string_view rest, bool has_states) {
    const Label found = lex_label(rest.data(), rest.data() + rest.size(), has_states);
    return found.wrong == nullptr ? std::string(found.text()) : "wrong";
  };
  EXPECT_EQ(label("a", true), "a");
  EXPECT_EQ(label("a\t-1 x", true), "a");
  EXPECT_EQ(label("", true), "wrong");
  EXPECT_EQ(label("a 7", false), "7");
  EXPECT_EQ(label("a", false), "wrong");
  EXPECT_EQ(label("a 7 8", false), "wrong");
}

}  // namespace
}  // namespace sheaf::mlf
