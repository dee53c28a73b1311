#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_image.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::HtmlWalk;

TEST(PageSlices, LengthsAndMeansHaveAChartEach) {
  const HtmlWalk walk(slices_html(testing::example_order()));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("svg"), 3);
  EXPECT_EQ(walk.elements().at("title"), 3 * 64);
  EXPECT_NE(walk.text().find("Mean of features"), std::string::npos);
}

TEST(PageSlices, ClassesHaveAPictureAndATable) {
  const std::string html = slices_html(testing::example_order());
  const HtmlWalk walk(html);
  EXPECT_EQ(walk.elements().at("img"), 1);
  EXPECT_EQ(walk.values_of("alt")[0], "Classes of labels along the data");
  EXPECT_NE(html.find("width=\"64\" height=\"9\""), std::string::npos);
  // The first slice has 12 of class 0, 7 of class 1, and 2 of class 2.
  EXPECT_NE(html.find("0</th><td class=\"n\">12</td><td class=\"n\">7</td><td class=\"n\">2</td>"
                      "<td class=\"n\">0</td>"),
            std::string::npos);
}

TEST(PageSlices, ClassesAreSortedByNumber) {
  Json order = {{"slices", Json::array()}};
  for (int i = 0; i < 2; ++i) {
    order["slices"].push_back({{"first", i}, {"classes", {{"labels", {{10, 5}, {9, 1}, {2, 3}}}}}});
  }
  const std::string html = slices_html(order);
  const std::size_t two = html.find("<span style=\"top:16.7%\">2</span>");
  EXPECT_NE(two, std::string::npos);
  EXPECT_NE(html.find("<span style=\"top:83.3%\">10</span>"), std::string::npos);
}

TEST(PageSlices, TheMostFrequentOfManyClassesAreShown) {
  Json order = {{"slices", Json::array()}};
  for (int i = 0; i < 3; ++i) {
    Json classes = Json::array();
    for (int label = 0; label < 500; ++label) classes.push_back({label, label});
    order["slices"].push_back({{"first", i}, {"classes", {{"labels", classes}}}});
  }
  const std::string html = slices_html(order);
  EXPECT_NE(html.find("width=\"3\" height=\"20\""), std::string::npos);
  EXPECT_NE(html.find(">499</th>"), std::string::npos);
  EXPECT_EQ(html.find(">479</th>"), std::string::npos);
}

TEST(PageSlices, TheStrongestFieldHasTheFullColor) {
  Json order = {{"slices", Json::array()}};
  for (int i = 0; i < 2; ++i) {
    order["slices"].push_back({{"first", i}, {"classes", {{"labels", {{1, 1}, {2, 3}}}}}});
  }
  const std::string html = slices_html(order);
  EXPECT_NE(html.find("up to 75&nbsp;%."), std::string::npos);
  const std::vector<std::byte> levels = {std::byte{85}, std::byte{85}, std::byte{255},
                                         std::byte{255}};
  EXPECT_NE(html.find(image_html({2, 2, Palette::shares, levels}, "strip",
                                 "Classes of labels along the data")),
            std::string::npos);
}

TEST(PageSlices, AConstantCurveIsLeftOut) {
  Json order = testing::example_order();
  for (Json& each : order["slices"]) each["mean_length"] = 7;
  EXPECT_EQ(HtmlWalk(slices_html(order)).text().find("Mean length"), std::string::npos);
}

TEST(PageSlices, OneSliceHasNoChart) {
  Json order = testing::example_order();
  while (order["slices"].size() > 1) order["slices"].erase(1);
  EXPECT_EQ(slices_html(order), "");
  EXPECT_EQ(slices_html(Json()), "");
}

TEST(PageSlices, SlicesWithoutAFieldAreLeftOutOfACurve) {
  Json order = testing::example_order();
  for (std::size_t i = 1; i < 63; ++i) order["slices"][i + 1].erase("mean_length");
  order["slices"][5].erase("means");
  order["slices"][7]["classes"] = 3;
  const HtmlWalk walk(slices_html(order));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("title"), 2 + 63 + 63);
}

}  // namespace
}  // namespace sheaf::internal::page
