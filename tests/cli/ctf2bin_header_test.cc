#include "verbs/ctf2bin_header.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/diagnostic.h"
#include "sheaf/types.h"

namespace sheaf::cli {
namespace {

Ctf2binHeader parse(std::string_view text) {
  return parse_ctf2bin_header(text, "h.txt", ElementType::f64);
}

std::vector<std::string> errors_of(std::string_view text) {
  const Ctf2binHeader header = parse(text);
  std::vector<std::string> texts;
  for (const Diagnostic& error : header.errors) {
    const std::string whole = to_string(error);
    texts.push_back(whole.substr(0, whole.find('\n')));
  }
  return texts;
}

TEST(Ctf2binHeader, EachLineIsAStream) {
  const Ctf2binHeader header = parse("features F0 dense 5\nlabels\tL  Sparse 2147483647 \r\n\n");
  EXPECT_TRUE(header.errors.empty());
  ASSERT_EQ(header.streams.size(), 2U);
  EXPECT_EQ(header.streams[0].name, "features");
  EXPECT_EQ(header.streams[0].alias, "F0");
  EXPECT_EQ(header.streams[0].storage, Storage::dense);
  EXPECT_EQ(header.streams[0].sample_shape, Shape{5});
  EXPECT_EQ(header.streams[0].dtype, ElementType::f64);
  EXPECT_EQ(header.streams[1].name, "labels");
  EXPECT_EQ(header.streams[1].alias, "L");
  EXPECT_EQ(header.streams[1].storage, Storage::sparse);
  EXPECT_EQ(header.streams[1].sample_shape, Shape{2147483647});
}

TEST(Ctf2binHeader, AByteOrderMarkIsSkipped) {
  const Ctf2binHeader header = parse(
      "\xEF\xBB\xBF"
      "a A dense 1");
  ASSERT_EQ(header.streams.size(), 1U);
  EXPECT_EQ(header.streams[0].name, "a");
}

TEST(Ctf2binHeader, EveryWrongLineIsReportedWithItsLocation) {
  const std::vector<std::string> expected = {
      "h.txt:1:5: error: expected four fields: PUBLISHED-NAME NAME-IN-CTF dense|sparse DIM, found "
      "3 [ctf2bin-fields]",
      "h.txt:2:13: error: expected four fields: PUBLISHED-NAME NAME-IN-CTF dense|sparse DIM, found "
      "5 [ctf2bin-fields]",
      "h.txt:3:5: error: expected dense or sparse, found \"wet\" [ctf2bin-storage]",
      "h.txt:3:9: error: expected a whole number from 1 to 2147483647, found \"0\" [ctf2bin-dim]",
      "h.txt:5:11: error: expected a whole number from 1 to 2147483647, found \"2x\" "
      "[ctf2bin-dim]",
      "h.txt:6:11: error: expected a whole number from 1 to 2147483647, found \"2147483648\" "
      "[ctf2bin-dim]",
      "h.txt:7:1: error: expected a name that no line before has, found \"d\" [ctf2bin-name]",
      "h.txt:8:3: error: expected a name in the CTF file that no line before has, found \"D\" "
      "[ctf2bin-name]",
  };
  EXPECT_EQ(errors_of("a A dense\nb B dense 1 x\nc C wet 0\nd D dense 1\ne E dense 2x\n"
                      "f F dense 2147483648\nd G dense 1\nh D dense 1\n"),
            expected);
}

TEST(Ctf2binHeader, ShowsTheLocationInItsLine) {
  const Ctf2binHeader header = parse("a A dense 1\nb B wet 1\n");
  ASSERT_EQ(header.errors.size(), 1U);
  EXPECT_EQ(header.errors[0].byte_offset, 16);
  EXPECT_EQ(to_string(header.errors[0]),
            "h.txt:2:5: error: expected dense or sparse, found \"wet\" [ctf2bin-storage]\n"
            "  b B wet 1\n"
            "      ^~~");
}

TEST(Ctf2binHeader, WantsAStream) {
  const std::vector<std::string> expected = {
      "h.txt:1:1: error: expected a stream, found the end of the file [ctf2bin-empty]"};
  EXPECT_EQ(errors_of(""), expected);
  EXPECT_EQ(errors_of("\n \n").size(), 1U);
}

}  // namespace
}  // namespace sheaf::cli
