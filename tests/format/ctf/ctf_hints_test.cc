#include "format/ctf/ctf_hints.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

/// Returns the hint of the first error.
std::string hint_of(const std::string& text) {
  FormatOptions options;
  options.streams = {{.name = "A", .sample_shape = Shape{1}},
                     {.name = "B", .storage = Storage::sparse, .sample_shape = Shape{9}}};
  options.missing_streams = MissingStreams::allow;
  const CtfDeserializer data(memory_source(text, "t"), options);
  Diagnostics diagnostics;
  static_cast<void>(data.read({}, diagnostics));
  return diagnostics.described().empty() ? "no error" : diagnostics.described()[0].hint;
}

TEST(CtfHints, ExplainCommonMistakes) {
  EXPECT_EQ(hint_of("|B 1 0 0\n"), "the text looks dense, but \"B\" is read as sparse");
  EXPECT_EQ(hint_of("|A 3:1\n"), "the text looks sparse, but \"A\" is read as dense");
  EXPECT_EQ(hint_of("|A 1\r|A 2\n").substr(0, 36), "a lone carriage return ends no row; ");
  EXPECT_EQ(hint_of("|A 1 |# left | right\n"), "a \"|\" within a comment is written \"|#\"");
  EXPECT_EQ(hint_of("0 |A 1\nutt2 |A 1\n"),
            "an id that is no number is read with keys=text (--keys text)");
  EXPECT_EQ(hint_of("|A 16777217|B 1:2\n"), "dtype=\"float64\" (--dtype float64) holds it");
  EXPECT_EQ(hint_of("|B 1:9007199254740993 2:1\n"),
            "with a point or an exponent it is a decimal, and decimals are rounded");
  EXPECT_EQ(hint_of("|A x\n"), "");
  EXPECT_EQ(hint_of("|A nan\n"), "CTF has no nan and no inf");
  EXPECT_EQ(hint_of("|B 1:-Infinity\n"), "CTF has no nan and no inf");
  EXPECT_EQ(hint_of("|A infinite\n"), "");
  EXPECT_EQ(hint_of("|B -3:1\n"), "an index counts from 0");
  EXPECT_EQ(hint_of("|A 1 # comment\n"), "a comment begins with \"|#\"");
  EXPECT_EQ(hint_of("0 |A 1\n# comment\n"), "a comment begins with \"|#\"");
  EXPECT_EQ(hint_of("|A features 1 0\n"),
            "a name ends at the first blank: this is a sample of \"A\"");
  EXPECT_EQ(hint_of("0 |A 1\n1 user 3\n"),
            "a sample begins with \"|\" and a name, such as \"|user\"");
  EXPECT_EQ(hint_of("0 |A 1\n1 2 3\n"), "a row of CTF looks like this: 0 |x 1 2");
  EXPECT_EQ(hint_of("0 |A 1\n1 |A 1\n0 |A 1\n").substr(0, 69),
            "the rows of a sequence stand together: sort -s -n -k1,1 FILE; files t");
  EXPECT_EQ(hint_of("0 |A 1\n 1 |A 2\n"), "no error");  // blanks before an id
}

constexpr std::string_view kAllowed =
    "missing_streams=allow (--missing-streams allow) reads it without";

/// Returns the hint about the first sequence that lacks a stream.
std::string missing_hint_of(const std::string& text, const FormatOptions& options) {
  const CtfDeserializer data(memory_source(text, "t"), options);
  Diagnostics diagnostics;
  static_cast<void>(data.read({}, diagnostics));
  return diagnostics.described().empty() ? "no error" : diagnostics.described()[0].hint;
}

TEST(CtfHints, AMissingStreamIsComparedWithTheOthersOfTheSequence) {
  const FormatOptions options = {.streams = {{.name = "lable", .sample_shape = Shape{1}}}};
  EXPECT_EQ(missing_hint_of("|x 1 |label 2 |x 3\n", options),
            "the sequence has \"x\", \"label\"; did you mean \"label\"? " + std::string(kAllowed));
  EXPECT_EQ(missing_hint_of("|x 1\n", options), "the sequence has \"x\"; " + std::string(kAllowed));
  EXPECT_EQ(missing_hint_of("|lable 1\n|label 1\n|x 1\n", options),
            "the sequence has \"label\"; did you mean \"label\"? " + std::string(kAllowed));
}

TEST(CtfHints, AShortNameIsSuggestedOnlyInAnotherCase) {
  const auto hint_about = [](const char* name, const std::string& text) {
    return missing_hint_of(text, {.streams = {{.name = name, .sample_shape = Shape{1}}}});
  };
  EXPECT_EQ(hint_about("x", "|y 1\n"), "the sequence has \"y\"; " + std::string(kAllowed));
  EXPECT_EQ(hint_about("x1", "|x2 1\n"), "the sequence has \"x2\"; " + std::string(kAllowed));
  EXPECT_EQ(hint_about("x", "|X 1\n"),
            "the sequence has \"X\"; did you mean \"X\"? " + std::string(kAllowed));
  EXPECT_EQ(hint_about("fx1", "|fx2 1\n"),
            "the sequence has \"fx2\"; did you mean \"fx2\"? " + std::string(kAllowed));
}

TEST(CtfHints, AStreamNamedElsewhereInTheFileIsLocated) {
  EXPECT_EQ(
      missing_hint_of("|items 1\n|items 2\n|itmes 1\n", {}),
      "line 3 is the first with \"itmes\"; is \"items\" meant there? " + std::string(kAllowed));
}

TEST(CtfHints, FirstRowsOfOtherFormatsAreRecognized) {
  const auto hint_of_first_row = [](const std::string& text) -> std::string {
    try {
      const CtfDeserializer data(memory_source(text, "t"), FormatOptions{});
    } catch (const DataError& error) {
      return error.diagnostics()[0].hint;
    }
    return "no error";
  };
  EXPECT_EQ(hint_of_first_row("# a comment\n0 |x 1\n"), "a comment begins with \"|#\"");
  EXPECT_EQ(hint_of_first_row("a,b,c\n"), "a row of CTF looks like this: 0 |x 1 2");
  EXPECT_EQ(hint_of_first_row("cat |x 1\n"),
            "ids that are not numbers are read with keys=text (--keys text)");
  EXPECT_EQ(hint_of_first_row("1 3:0.5\n"),
            "a row of CTF looks like this: 0 |x 1 2; this looks like LibSVM: format=\"libsvm\" "
            "(--data-format libsvm)");
}

}  // namespace
}  // namespace sheaf::ctf
