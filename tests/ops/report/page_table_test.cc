#include "ops/report/page_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"

namespace sheaf::internal::page {
namespace {

TEST(PageTable, HasHeadingsForColumnsAndRows) {
  Table table("Streams", {{"Name"}, {"Kind", CellKind::word}, {"Count", CellKind::number}});
  table.add({"a", "dense", "1"});
  table.add({"b", "sparse", "2"});
  const testing::HtmlWalk walk(table.html());
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("tr"), 3);
  EXPECT_EQ(walk.elements().at("th"), 5);
  EXPECT_EQ(walk.elements().at("td"), 4);
  EXPECT_EQ(walk.values_of("scope"), (std::vector<std::string>{"col", "col", "col", "row", "row"}));
  EXPECT_EQ(walk.values_of("aria-label"), std::vector<std::string>{"Streams"});
  EXPECT_NE(table.html().find("<td class=\"n\">2</td>"), std::string::npos);
  EXPECT_NE(table.html().find("<td class=\"w\">sparse</td>"), std::string::npos);
}

TEST(PageTable, ATableWithoutRowsIsAnEmptyText) {
  const Table table("Streams", {{"Name"}});
  EXPECT_EQ(table.html(), "");
  EXPECT_EQ(table.folded("Table"), "");
}

TEST(PageTable, ATableCanBeFolded) {
  Table table("Streams", {{"Name"}});
  table.add({"a"});
  const testing::HtmlWalk walk(table.folded("Table of this chart"));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.elements().at("details"), 1);
  EXPECT_EQ(walk.elements().at("summary"), 1);
}

TEST(PageTable, StatesHowManyRowsAreLeftOut) {
  EXPECT_EQ(left_out_html(3, 3, "streams"), "");
  EXPECT_EQ(left_out_html(2, 3, "streams"), "");
  EXPECT_EQ(left_out_html(2003, 3, "streams"),
            "<p class=\"soft\">Not shown here: 2,000 of 2,003 streams.</p>\n");
}

}  // namespace
}  // namespace sheaf::internal::page
