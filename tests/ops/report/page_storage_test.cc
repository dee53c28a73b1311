#include <string>

#include <gtest/gtest.h>

#include "ops/report/html_walk.h"
#include "ops/report/page_sections.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

using testing::full_report;

TEST(PageStorage, EstimatesTheSizeOfASheafFile) {
  Json report = full_report();
  EXPECT_NE(storage_body(report).find("The data take 17.5&nbsp;MiB in 3 chunks, 358.1 bytes a "
                                      "sample."),
            std::string::npos);
  EXPECT_NE(storage_body(report).find("would take about 6.2&nbsp;MiB, 35.4&nbsp;% of the bytes."),
            std::string::npos);
  report["storage"]["as_sheaf"]["bytes"] = 99'000'000;
  EXPECT_NE(storage_body(report).find("would not be smaller"), std::string::npos);
  report["storage"].erase("as_sheaf");
  EXPECT_EQ(storage_body(report).find(".sheaf"), std::string::npos);
}

TEST(PageStorage, EachArrayHasARow) {
  const std::string html = storage_body(full_report());
  EXPECT_EQ(testing::HtmlWalk(html).wrong(), "");
  EXPECT_NE(html.find("<td class=\"n\">7.8&nbsp;MiB</td><td class=\"n\">5.8&nbsp;MiB</td>"),
            std::string::npos);
}

TEST(PageStorage, AnEmptySectionIsAnEmptyText) {
  EXPECT_EQ(storage_body({{"storage", Json::object()}}), "");
}

}  // namespace
}  // namespace sheaf::internal::page
