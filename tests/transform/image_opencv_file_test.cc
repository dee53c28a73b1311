#include "transform/image_opencv_file.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::internal {
namespace {

const std::string kFile =
    "<?xml version=\"1.0\"?>\n"
    "<!-- <MeanImg> of nothing -->\n"
    "<opencv_storage>\n"
    "  <Channel>3</Channel>\n"
    "  <Row>2</Row> <Empty/>\n"
    "  <MeanImg type_id=\"opencv-matrix\">\n"
    "    <rows>1</rows>\n"
    "    <cols>4</cols>\n"
    "    <dt>f</dt>\n"
    "    <data>\n"
    "      1.307107e+02 -2. .5\n"
    "      3</data></MeanImg>\n"
    "  <Colors type_id=\"opencv-matrix\"><rows>1</rows><cols>1</cols>\n"
    "    <dt>\"3u\"</dt><data>7 8 9</data></Colors>\n"
    "</opencv_storage>\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kFile;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string error_in(const std::string& text) {
  return testing::error_of<ConfigError>([&] {
    const OpencvFile file(text, "m.xml");
    static_cast<void>(file.whole("Row"));
    static_cast<void>(file.matrix("MeanImg"));
  });
}

TEST(OpencvFile, HasNumbersAndMatrices) {
  const OpencvFile file(kFile, "m.xml");
  EXPECT_EQ(file.whole("Channel"), 3);
  EXPECT_EQ(file.whole("Row"), 2);
  const OpencvMatrix mean = file.matrix("MeanImg");
  EXPECT_EQ(mean.rows, 1);
  EXPECT_EQ(mean.columns, 4);
  EXPECT_EQ(mean.channels, 1);
  EXPECT_EQ(mean.values, (std::vector<double>{130.7107, -2, 0.5, 3}));
  EXPECT_EQ(file.matrix("Colors").channels, 3);
  EXPECT_EQ(file.matrix("Colors").values, (std::vector<double>{7, 8, 9}));
}

TEST(OpencvFile, ErrorsHaveALineAndAReason) {
  EXPECT_EQ(error_in(""),
            "m.xml: line 1: expected an XML file of OpenCV, whose first element is "
            "<opencv_storage>, found no element");
  EXPECT_EQ(error_in("{\"mean\": 1}").substr(0, 40), "m.xml: line 1: expected an XML file of O");
  EXPECT_EQ(error_in("<html></html>").substr(94), "<html>");
  EXPECT_EQ(error_in(with("<Row>2</Row>", "")),
            "m.xml: line 3: expected <Row> in <opencv_storage>, found none");
  EXPECT_EQ(error_in(with("<Row>2<", "<Row>2.5<")),
            "m.xml: line 5: expected a whole number from 1 in <Row>, found \"2.5\"");
  EXPECT_EQ(error_in(with("<Row>2<", "<Row>99999999999<")).substr(0, 30),
            "m.xml: line 5: expected a whol");
  EXPECT_EQ(error_in(with("<cols>4", "<cols>5")),
            "m.xml: line 10: expected 5 numbers in <data> of <MeanImg>, as rows, cols and dt say, "
            "found 4");
  EXPECT_EQ(error_in(with("-2.", "two")),
            "m.xml: line 10: expected numbers in <data> of <MeanImg>, found \"two\"");
  EXPECT_EQ(error_in(with("-2.", "nan")),
            "m.xml: line 10: expected numbers in <data> of <MeanImg>, found \"nan\"");
  EXPECT_EQ(error_in(with("<dt>f", "<dt>q")),
            "m.xml: line 9: expected a type such as f, d, u or 3f in <dt>, found \"q\"");
  EXPECT_EQ(error_in(with("</MeanImg>", "</Mean>")),
            "m.xml: line 12: expected </MeanImg>, found \"</Mean>\"");
}

TEST(OpencvFile, RefusesTruncatedFiles) {
  for (std::size_t size = 0; size + 18 < kFile.size(); ++size) {
    EXPECT_FALSE(error_in(kFile.substr(0, size)).empty()) << size;
  }
}

}  // namespace
}  // namespace sheaf::internal
