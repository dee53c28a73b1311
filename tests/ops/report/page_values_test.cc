#include "ops/report/page_values.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::HtmlWalk;

Json heat_stream(int rows, int columns) {
  const std::string levels = testing::base64_of(testing::wave_levels(rows, columns));
  return {{"name", "x"}, {"heat", {{"rows", rows}, {"columns", columns}, {"levels", levels}}}};
}

TEST(PageValues, SamplesOfAHeatMapRunToTheRight) {
  const HtmlWalk walk(values_html(heat_stream(60, 40)));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.values_of("width"), std::vector<std::string>{"60"});
  EXPECT_EQ(walk.values_of("height"), std::vector<std::string>{"40"});
  EXPECT_EQ(walk.values_of("alt"), std::vector<std::string>{"Heat map of x: 60 rows of 40 values"});
  EXPECT_NE(walk.text().find("values from bottom to top"), std::string::npos);
}

TEST(PageValues, FewSamplesOfAHeatMapAreStacked) {
  const HtmlWalk walk(values_html(heat_stream(2, 40)));
  EXPECT_EQ(walk.values_of("width"), std::vector<std::string>{"40"});
  EXPECT_EQ(walk.values_of("height"), std::vector<std::string>{"2"});
}

TEST(PageValues, AMatrixSampleIsShownUnchanged) {
  Json stream = heat_stream(8, 6);
  stream["samples"] = 1;
  const HtmlWalk walk(values_html(stream));
  EXPECT_EQ(walk.values_of("width"), std::vector<std::string>{"6"});
  EXPECT_NE(walk.text().find("The sample as a matrix."), std::string::npos);
}

TEST(PageValues, AnInconsistentPictureIsLeftOut) {
  Json stream = heat_stream(6, 4);
  stream["heat"]["rows"] = 7;
  EXPECT_EQ(values_html(stream), "");
  stream["heat"]["rows"] = -6;
  stream["heat"]["columns"] = -4;
  EXPECT_EQ(values_html(stream), "");
  stream["heat"]["rows"] = 1'000'000'000;
  stream["heat"]["columns"] = 1'000'000'000;
  EXPECT_EQ(values_html(stream), "");
  stream = heat_stream(6, 4);
  stream["heat"]["levels"] = "no base64";
  EXPECT_EQ(values_html(stream), "");
}

TEST(PageValues, ImagesAreThumbnails) {
  const std::string pixels = testing::base64_of(testing::wave_levels(3, 12));
  Json stream = {{"name", "cat"},
                 {"image", {{"width", 4}, {"height", 3}, {"channels", 3}, {"pixels", pixels}}}};
  EXPECT_EQ(HtmlWalk(values_html(stream)).values_of("alt"),
            std::vector<std::string>{"Picture of cat, 4 by 3 pixels"});
  stream["image"]["channels"] = 1;
  EXPECT_EQ(values_html(stream), "");  // a third of the bytes
  stream["image"]["width"] = 12;
  EXPECT_EQ(HtmlWalk(values_html(stream)).elements().at("img"), 1);
  stream["image"]["channels"] = 2;
  EXPECT_EQ(values_html(stream), "");
}

TEST(PageValues, NumbersAreShownAsACurve) {
  const HtmlWalk walk(values_html({{"name", "x"}, {"line", {0.5, 1, "nan", -2}}}));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("svg"), 1);
  const std::string way = walk.values_of("d")[1];
  EXPECT_EQ(std::count(way.begin(), way.end(), 'L'), 2);
  EXPECT_NE(way.find("L200 "), std::string::npos);
  EXPECT_NE(way.find("L600 "), std::string::npos);
  EXPECT_NE(values_html({{"name", "x"}, {"line", {0.5}}}).find(">0.5</p>"), std::string::npos);
  EXPECT_EQ(HtmlWalk(values_html({{"name", "x"}, {"line", {3, 3, 3}}})).wrong(), "");
}

TEST(PageValues, IdsAreShownWithTheirValues) {
  const std::string html =
      values_html({{"name", "x"}, {"ids", Json::parse("[[17,1],[204,2.5],[9]]")}});
  EXPECT_NE(html.find("<span>17:1</span> <span>204:2.5</span> <span>9</span>"), std::string::npos);
}

TEST(PageValues, HiddenIdsAreCounted) {
  Json stream = {{"name", "x"}, {"more", 1000}, {"ids", Json::array()}};
  for (int i = 0; i < 70; ++i) stream["ids"].push_back(Json::array({i, "nan"}));
  const std::string html = values_html(stream);
  EXPECT_NE(html.find("<span>63:<bdi>nan</bdi></span> and 1,006 more</p>"), std::string::npos);
}

TEST(PageValues, AHeatMapStatesTheRangeOfItsColors) {
  Json stream = heat_stream(60, 40);
  stream["heat"]["low"] = -3.25;
  EXPECT_EQ(values_html(stream).find("Colors"), std::string::npos);
  stream["heat"]["high"] = 7.5;
  EXPECT_NE(values_html(stream).find("Colors go from -3.25 (dark) to 7.5."), std::string::npos);
}

TEST(PageValues, TextsKeepTheirLineBreaks) {
  EXPECT_EQ(values_html({{"name", "x"}, {"text", "a <b>\nc"}}),
            "<pre><bdi>a &lt;b&gt;\nc</bdi></pre>");
}

TEST(PageValues, NamesAreEscapedInAttributes) {
  Json stream = heat_stream(6, 4);
  stream["name"] = testing::hostile_text();
  const HtmlWalk walk(values_html(stream));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("img"), 1);
}

}  // namespace
}  // namespace sheaf::internal::page
