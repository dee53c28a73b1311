#include "format/image_base64/image_base64_range.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/read_all.h"
#include "format/image_base64/image_base64_test_files.h"
#include "support/text_data.h"

namespace sheaf::image_base64 {
namespace {

/// Returns the errors in a text.
std::vector<std::string> wrong_locations(const std::string& text,
                                         const FormatOptions& options = {}) {
  const auto data = open_lines(text, options);
  std::vector<std::string> texts;
  for (ChunkIndex i{}; data->index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = i}, diagnostics));
    for (const Diagnostic& each : diagnostics.described()) {
      const std::string all = to_string(each);
      texts.push_back(all.substr(0, all.find('\n')));
    }
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ImageBase64Range, ImagesAndLabelsAreDelivered) {
  const auto data = open_lines("a\t7\t" + kAbc + "\nb\t0\t" + kOne + "\n");
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(chunk.sequence_count(), 2);
  const SequenceView image = chunk.view(0, 1);
  EXPECT_EQ(image.value_count, 1);
  EXPECT_EQ(std::to_integer<char>(image.values[0]), 'a');
  EXPECT_EQ(chunk.key_text(1), "b");
  EXPECT_TRUE(chunk.columns()[0].value_byte_offsets.empty()) << "images lie back to back";
}

TEST(ImageBase64Range, AHoleLeavesNoGapBetweenImages) {
  const auto data = open_lines("1\t" + kAbc + "\n1\tQU!D\n1\t" + kOne + "\n");
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}}, diagnostics);
  EXPECT_TRUE(chunk.is_hole(1));
  EXPECT_TRUE(chunk.columns()[0].value_byte_offsets.empty());
  EXPECT_EQ(chunk.columns()[0].values.size_bytes(), 4);
}

TEST(ImageBase64Range, EachErrorHasALocation) {
  EXPECT_EQ(wrong_locations("1\tQU!D\n"),
            (Texts{"t.b64:1:5: error: stream \"image\": expected a character of base64, found "
                   "\"!\" [image_base64-character]"}));
  EXPECT_EQ(wrong_locations("1\tQUJDQ\n"),
            (Texts{"t.b64:1:8: error: stream \"image\": expected groups of four characters, found "
                   "5 characters [image_base64-length]"}));
  EXPECT_EQ(wrong_locations("1\t\n"),
            (Texts{"t.b64:1:3: error: stream \"image\": expected an image in base64, found none "
                   "[image_base64-empty]"}));
  EXPECT_EQ(wrong_locations("1\tQUJD\nQUJD\n"),
            (Texts{"t.b64:2:1: error: expected LABEL and IMAGE with a tab between, found \"QUJD\" "
                   "[image_base64-columns]"}));
  EXPECT_EQ(wrong_locations("k\t1\tQUJD\nm\t1\n"),
            (Texts{"t.b64:2:1: error: expected KEY, LABEL and IMAGE with tabs between, found "
                   "\"m\\t1\" [image_base64-columns]"}));
  EXPECT_EQ(wrong_locations("k\tx\t!\n"),
            (Texts{"t.b64:1:3: error: stream \"label\": expected a class id, which is a number "
                   "from 0, found \"x\" [image_base64-label]",
                   "t.b64:1:5: error: stream \"image\": expected a character of base64, found "
                   "\"!\" [image_base64-character]"}));
}

TEST(ImageBase64Range, LabelsMustBeBelowTheNumberOfClasses) {
  const FormatOptions options = with_extra({{"image_base64.classes", "3"}});
  EXPECT_EQ(wrong_locations("2\tQUJD\n", options), Texts{});
  EXPECT_EQ(wrong_locations("3\tQUJD\n", options),
            (Texts{"t.b64:1:1: error: stream \"label\": expected a class id below 3, found \"3\" "
                   "[image_base64-class]"}));
  EXPECT_EQ(wrong_locations("2147483647\tQUJD\n"), Texts{});
  EXPECT_EQ(wrong_locations("2147483648\tQUJD\n").size(), 1U);
  EXPECT_EQ(wrong_locations("-1\tQUJD\n").size(), 1U);
}

TEST(ImageBase64Range, WrongLabelsAndColumnsEndTheRunByTheRulesOfCntk) {
  const auto severities = [](const std::string& text, FormatOptions options) {
    options.extra = {{"image_base64.classes", "3"}};
    const auto data = open_lines(text, options);
    Diagnostics diagnostics;
    static_cast<void>(data->read({.chunk = {}}, diagnostics));
    std::vector<Severity> all;
    for (const Diagnostics::Entry& each : diagnostics.entries()) all.push_back(each.severity);
    return all;
  };
  const std::string images = "5\t1\tQU!D\n6\t1\t\nx\t1\tQUJD\n";
  EXPECT_EQ(severities(images, as_cntk()), std::vector(3, Severity::error));
  const std::string lines = "5\t3\tQUJD\n6\tx\tQUJD\n7\t1\n";
  EXPECT_EQ(severities(lines, as_cntk()), std::vector(3, Severity::fatal));
  EXPECT_EQ(severities("5\t3\tQUJD\n6\tx\tQUJD\n7\t1\n", {}), std::vector(3, Severity::error));
}

TEST(ImageBase64Range, UnusedStreamsAreNotChecked) {
  FormatOptions images;
  images.streams = {{.name = "image"}};
  EXPECT_EQ(wrong_locations("x\tQUJD\n", images), Texts{});
  FormatOptions labels;
  labels.streams = {{.name = "label"}};
  EXPECT_EQ(wrong_locations("1\t!\n", labels), Texts{});
}

TEST(ImageBase64Range, RepeatedKeysAreErrorsExceptInCntkMode) {
  const std::string text = "5\t1\tQUJD\n6\t1\tQUJD\n5\t1\tQUJD\n";
  EXPECT_EQ(wrong_locations(text),
            (Texts{"t.b64:3:1: error: expected a key that was not there yet (line 1 has it), found "
                   "\"5\" [image_base64-repeated-key]"}));
  EXPECT_EQ(wrong_locations(text, as_cntk()), Texts{});
}

TEST(ImageBase64Range, NumericKeysMustBeNumbers) {
  const std::string text = "a\t1\tQUJD\nb\t1\tQUJD\n";
  const Texts locations = wrong_locations(text, with_keys(KeyType::numeric));
  ASSERT_EQ(locations.size(), 2U) << "the second one is not called repeated";
  EXPECT_EQ(locations[1],
            "t.b64:2:1: error: expected a key that is a number from 0 to 2^64-1, found \"b\" "
            "[image_base64-key]");
  EXPECT_EQ(wrong_locations(text, as_cntk())[0],
            "t.b64:1:1: error: expected a key that begins with digits, found \"a\" "
            "[image_base64-key]");
}

TEST(ImageBase64Range, ViewsShareTheBytesOfTheirImage) {
  const auto data =
      open_lines("1\t" + kAbc + "\n2\t" + kOne + "\n", with_extra({{"image_base64.views", "10"}}));
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}, .first = 8, .count = 4}, diagnostics);
  ASSERT_EQ(chunk.sequence_count(), 4);
  EXPECT_EQ(chunk.view(0, 0).values, chunk.view(0, 1).values);
  EXPECT_EQ(chunk.view(0, 2).values, chunk.view(0, 3).values);
  EXPECT_EQ(chunk.columns()[0].values.size_bytes(), 4);
  const auto views = chunk.columns()[2].values.as<std::int32_t>();
  EXPECT_EQ((std::vector<std::int32_t>(views.begin(), views.end())),
            (std::vector<std::int32_t>{8, 9, 0, 1}));
}

TEST(ImageBase64Range, EachViewOfALineWithAnErrorIsAHole) {
  const auto data =
      open_lines("1\t" + kAbc + "\n2\t!\n", with_extra({{"image_base64.views", "10"}}));
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}, .first = 9, .count = 3}, diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 2);
  EXPECT_EQ(diagnostics.entries()[0].sequence, 10);
  EXPECT_EQ(diagnostics.entries()[1].sequence, 11);
  EXPECT_FALSE(chunk.is_hole(0));
  EXPECT_TRUE(chunk.is_hole(1));
  EXPECT_TRUE(chunk.is_hole(2));
}

}  // namespace
}  // namespace sheaf::image_base64
