#include "format/ctf/ctf_hints.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

/// The hint of the first wrong place.
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

TEST(CtfHints, SayCommonMistakesInPlainWords) {
  EXPECT_EQ(hint_of("|B 1 0 0\n"), "the text looks dense, but \"B\" is read as sparse");
  EXPECT_EQ(hint_of("|A 3:1\n"), "the text looks sparse, but \"A\" is read as dense");
  EXPECT_EQ(hint_of("|A 1\r|A 2\n").substr(0, 36), "a lone carriage return ends no row; ");
  EXPECT_EQ(hint_of("|A 1 |# left | right\n"), "a \"|\" within a comment is written \"|#\"");
  EXPECT_EQ(hint_of("0 |A 1\nutt2 |A 1\n"),
            "an id that is no number is read with keys=text (--keys text)");
  EXPECT_EQ(hint_of("|A 16777217|B 1:2\n"),
            "element_type=f64 (dtype=\"float64\", --precision double) holds it");
  EXPECT_EQ(hint_of("|B 1:9007199254740993 2:1\n"),
            "with a point or an exponent it is a decimal, and decimals are rounded");
  EXPECT_EQ(hint_of("|A x\n"), "");
  EXPECT_EQ(hint_of("0 |A 1\n 1 |A 2\n"), "no error");  // blanks before an id
}

}  // namespace
}  // namespace sheaf::ctf
