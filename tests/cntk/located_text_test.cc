#include "cntk/located_text.h"

#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(LocatedText, KnowsTheOriginOfEachByte) {
  Sources sources;
  const std::int32_t a = sources.add("a", "one\ntwo\n");
  const std::int32_t b = sources.add("b", "three", 7);
  LocatedText text;
  text.append("two", {.source = a, .offset = 4});
  text.append_unplaced(" ");
  text.append("ree", {.source = b, .offset = 2});
  EXPECT_EQ(text.view(), "two ree");
  EXPECT_EQ(location_text(sources.location(text.origin(0))), "a:2:1");
  EXPECT_EQ(location_text(sources.location(text.origin(2))), "a:2:3");
  EXPECT_EQ(location_text(sources.location(text.origin(4))), "b:7:3");
  EXPECT_EQ(location_text(sources.location(text.origin(7))), "b:7:6");  // after the last byte
  EXPECT_EQ(sources.location(text.origin(4)).byte_offset, 2);
}

TEST(LocatedText, PartsOfTextsKeepTheirLocations) {
  Sources sources;
  const std::int32_t a = sources.add("a", "abcdefgh");
  LocatedText text;
  text.append("ab", {.source = a, .offset = 0});
  text.append("ef", {.source = a, .offset = 4});
  text.append("h", {.source = a, .offset = 7});
  for (std::size_t begin = 0; begin <= 5; ++begin) {
    for (std::size_t end = begin; end <= 5; ++end) {
      LocatedText part;
      part.append(text, begin, end);
      EXPECT_EQ(part.view(), text.view().substr(begin, end - begin));
      for (std::size_t i = begin; i < end; ++i) {
        EXPECT_EQ(part.origin(i - begin).offset, text.origin(i).offset);
      }
    }
  }
}

TEST(LocatedText, TextWithoutAnOriginHasNoLocation) {
  LocatedText text;
  text.append_unplaced("x");
  EXPECT_EQ(text.origin(0).source, Origin::kNone);
  EXPECT_EQ(Sources().location(text.origin(0)), ConfigLocation());
}

TEST(LocatedText, TrimmingRemovesBlanksAndTabs) {
  Sources sources;
  const std::int32_t a = sources.add("a", " \tx y\t ");
  const auto text = std::make_shared<LocatedText>();
  text->append(sources[a].text, {.source = a});
  const TextSlice all{.text = text, .begin = 0, .end = text->view().size()};
  EXPECT_EQ(trimmed(all).view(), "x y");
  EXPECT_EQ(trimmed(all.part(0, 2)).view(), "");
  EXPECT_EQ(trimmed(all.part(4, 4)).view(), "");
}

TEST(LocatedText, ADiagnosticShowsTheLine) {
  Sources sources;
  const std::int32_t a = sources.add("a.cntk", "x=1\r\ndim = abc\r\n");
  const Diagnostic diagnostic =
      sources.diagnostic({.source = a, .offset = 11}, 3, "integer", "a number", "\"abc\"", "hint");
  EXPECT_EQ(to_string(diagnostic),
            "a.cntk:2:7: error: expected a number, found \"abc\" [config-integer]\n"
            "  dim = abc\n"
            "        ^~~\n"
            "  hint");
}

}  // namespace
}  // namespace sheaf::internal
