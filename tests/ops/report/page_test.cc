#include "ops/report/page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "ops/report/html_walk.h"
#include "ops/report/report_examples.h"

namespace sheaf {
namespace {

using testing::HtmlWalk;
using testing::ReportJson;

// The elements and attributes that pages use. Any other one would be markup from the data.
const std::set<std::string> kPageElements = {
    "html",       "head", "meta",   "title",   "link",    "style",   "body",    "a",
    "header",     "p",    "h1",     "h2",      "h3",      "dl",      "div",     "dt",
    "dd",         "nav",  "ul",     "li",      "main",    "section", "table",   "thead",
    "tbody",      "tr",   "th",     "td",      "b",       "bdi",     "i",       "code",
    "figure",     "svg",  "g",      "path",    "span",    "img",     "details", "summary",
    "figcaption", "pre",  "footer", "article", "caption", "script"};
const std::set<std::string> kPageAttributes = {"lang",
                                               "charset",
                                               "http-equiv",
                                               "content",
                                               "name",
                                               "rel",
                                               "href",
                                               "class",
                                               "id",
                                               "style",
                                               "src",
                                               "alt",
                                               "width",
                                               "height",
                                               "viewBox",
                                               "preserveAspectRatio",
                                               "role",
                                               "d",
                                               "type",
                                               "scope",
                                               "tabindex",
                                               "aria-label",
                                               "aria-labelledby",
                                               "aria-hidden"};

// Returns whether a style is one length, such as "left:12.5%".
bool is_one_length(std::string_view style) {
  const std::size_t colon = style.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = style.substr(0, colon);
  std::string_view size = style.substr(colon + 1);
  const bool is_known = name == "left" || name == "top" || name == "width";
  const std::size_t digits = size.find_first_not_of("0123456789.");
  if (!is_known || digits == 0 || digits == std::string_view::npos) return false;
  size.remove_prefix(digits);
  return size == "%" || size == "ch";
}

void expect_only_known_markup(const HtmlWalk& walk) {
  EXPECT_EQ(walk.wrong(), "");
  for (const auto& [name, count] : walk.elements()) {
    EXPECT_TRUE(kPageElements.contains(name)) << name;
  }
  std::map<std::string, int> ids;
  for (const testing::HtmlAttribute& each : walk.attributes()) {
    EXPECT_TRUE(kPageAttributes.contains(each.name)) << each.name;
    if (each.name == "href") {
      EXPECT_TRUE(each.value[0] == '#' || each.value == "data:,");
    }
    if (each.name == "src") {
      EXPECT_TRUE(each.value.starts_with("data:image/png;base64,"));
    }
    if (each.name == "style") {
      EXPECT_TRUE(is_one_length(each.value)) << each.value;
    }
    if (each.name == "id") {
      EXPECT_EQ(++ids[each.value], 1) << each.value;
    }
  }
  for (const std::string& each : walk.values_of("href")) {
    if (each[0] == '#') {
      EXPECT_TRUE(ids.contains(each.substr(1))) << each;
    }
  }
}

// Returns the same report with at most two elements in each list.
ReportJson shortened(const ReportJson& json) {
  if (!json.is_structured()) return json;
  ReportJson copy = json.is_array() ? ReportJson::array() : ReportJson::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) copy[key] = shortened(value);
    if (json.is_array() && copy.size() < 2) copy.push_back(shortened(value));
  }
  return copy;
}

// Returns the paths of all fields and elements, at any depth.
std::vector<ReportJson::json_pointer> locations_in(
    const ReportJson& json, const ReportJson::json_pointer& at = ReportJson::json_pointer("")) {
  std::vector<ReportJson::json_pointer> locations;
  if (!json.is_structured()) return locations;
  for (const auto& [key, value] : json.items()) {
    const ReportJson::json_pointer location =
        json.is_array() ? at / static_cast<std::size_t>(std::stoul(key)) : at / key;
    locations.push_back(location);
    for (const auto& each : locations_in(value, location)) locations.push_back(each);
  }
  return locations;
}

// Returns a report whose lists are as long as 400 kB of JSON allow.
ReportJson largest_report(const std::string& text) {
  ReportJson report = testing::with_texts(testing::full_report(), text);
  constexpr std::size_t kJsonBytes = 400'000;
  const std::vector<std::string> lists = {"verdict", "streams", "labels", "sequences"};
  for (std::size_t i = 0; report.dump().size() < kJsonBytes; ++i) {
    const ReportJson list = report[lists[i % lists.size()]];
    for (const ReportJson& each : list) report[lists[i % lists.size()]].push_back(each);
    report["data"]["diagnostics"].push_back(report["data"]["diagnostics"][0]);
  }
  return report;
}

TEST(Page, HasASectionForEachSectionOfTheReport) {
  const ReportJson report = testing::full_report();
  const HtmlWalk walk(internal::page_of(report.dump()));
  expect_only_known_markup(walk);
  const std::vector<std::string> ids = walk.values_of("id");
  for (const std::string id : {"verdict", "data", "streams", "lengths", "order", "labels",
                               "duplicates", "keys", "sequences", "storage", "against"}) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 1) << id;
  }
  EXPECT_EQ(walk.elements().at("h1"), 1);
  EXPECT_EQ(walk.elements().at("h2"), 11);
  EXPECT_EQ(walk.elements().at("nav"), 1);
  EXPECT_EQ(walk.elements().at("main"), 1);
}

TEST(Page, LeavesOutSectionsThatTheReportDoesNotHave) {
  const HtmlWalk walk(internal::page_of(testing::small_report().dump()));
  expect_only_known_markup(walk);
  EXPECT_EQ(walk.elements().at("h2"), 2);
  EXPECT_EQ(walk.elements().at("section"), 2);
}

TEST(Page, EachFieldMayBeAbsentOrOfAnotherType) {
  const ReportJson report = shortened(testing::full_report());
  const std::vector<ReportJson> others = {ReportJson(), ReportJson("text"), ReportJson(-7),
                                          ReportJson::parse("[1,[],{},null,[[]]]")};
  int locations = 0;
  for (const auto& [name, value] : report.items()) {
    const ReportJson part = {{name, value}, {"data", report["data"]}};
    for (const ReportJson::json_pointer& location : locations_in(part)) {
      ++locations;
      for (const ReportJson& other : others) {
        ReportJson changed = part;
        changed[location] = other;
        const HtmlWalk walk(internal::page_of(changed.dump()));
        ASSERT_EQ(walk.wrong(), "") << location.to_string() << other.dump();
      }
    }
  }
  EXPECT_GT(locations, 400);
}

TEST(Page, TextsOfTheDataAreEscaped) {
  const std::string page = internal::page_of(testing::hostile_report().dump());
  const HtmlWalk walk(page);
  expect_only_known_markup(walk);
  EXPECT_EQ(walk.elements().at("script"), 1);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<img src"), std::string::npos);
  EXPECT_EQ(page.find("\xE2\x80\xAE"), std::string::npos);  // U+202E reverses the direction
  EXPECT_EQ(page.find("\xE2\x80\xA8"), std::string::npos);  // U+2028 ends a line
  EXPECT_NE(page.find("U+202E"), std::string::npos);
  // Apart from its texts, the page is the same: only codes add elements to it.
  const HtmlWalk plain(internal::page_of(testing::with_texts(testing::full_report(), "x").dump()));
  for (const auto& [name, count] : walk.elements()) {
    if (name != "i") {
      EXPECT_EQ(count, plain.elements().at(name)) << name;
    }
  }
}

TEST(Page, LoadsNothingAndRunsNoScript) {
  const std::string page = internal::page_of(testing::full_report().dump());
  EXPECT_EQ(page.find("://"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("url("), std::string::npos);
  const HtmlWalk walk(page);
  EXPECT_EQ(walk.values_of("type"), std::vector<std::string>{"application/json"});
  EXPECT_NE(page.find("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""),
            std::string::npos);
}

TEST(Page, ContainsTheJsonOfTheReport) {
  for (const ReportJson& report : {testing::full_report(), testing::hostile_report()}) {
    const HtmlWalk walk(internal::page_of(report.dump()));
    EXPECT_EQ(ReportJson::parse(walk.script()), report);
    EXPECT_EQ(walk.script().find('<'), std::string::npos);
  }
}

TEST(Page, HasAtMostAMillionBytes) {
  const std::vector<std::string> texts = {"x", std::string(300, 'k'), testing::hostile_text(),
                                          std::string(400, '<'), std::string(400, '"')};
  for (const std::string& text : texts) {
    const std::string page = internal::page_of(largest_report(text).dump());
    EXPECT_LE(page.size(), internal::kPageBytesMax);
    EXPECT_GT(page.size(), 200'000U);
    expect_only_known_markup(HtmlWalk(page));
  }
}

// Noise does not compress: a picture of 500 kB takes 700 kB in a page.
TEST(Page, LeavesOutASectionThatIsTooLarge) {
  std::vector<std::byte> noise;
  std::uint32_t state = 7;
  for (int i = 0; i < 500'000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise.push_back(static_cast<std::byte>(state >> 24U));
  }
  const std::string levels = testing::base64_of(noise);
  const ReportJson stream = {{"name", "noise"},
                             {"heat", {{"rows", 500}, {"columns", 1000}, {"levels", levels}}}};
  ReportJson report = testing::full_report();
  report["sequences"] = ReportJson::array({{{"why", "noise"}, {"streams", {stream}}}});
  const std::string one = internal::page_of(report.dump());
  EXPECT_EQ(one.find("This section is left out"), std::string::npos);
  EXPECT_NE(one.find("The JSON of the report is too large for this page"), std::string::npos);
  report["sequences"][0]["streams"].push_back(stream);
  const std::string two = internal::page_of(report.dump());
  EXPECT_NE(two.find("This section is left out"), std::string::npos);
  EXPECT_NE(two.find("<h2 id=\"h-storage\">"), std::string::npos);
  for (const std::string& page : {one, two}) {
    EXPECT_LE(page.size(), internal::kPageBytesMax);
    expect_only_known_markup(HtmlWalk(page));
  }
}

TEST(Page, EqualReportsGiveEqualBytes) {
  const std::string json = testing::full_report().dump();
  EXPECT_EQ(internal::page_of(json), internal::page_of(json));
}

TEST(Page, RecognizesItsOwnPages) {
  EXPECT_TRUE(internal::is_page(internal::page_of(testing::small_report().dump())));
  EXPECT_FALSE(internal::is_page("<!doctype html>\n<html></html>"));
  EXPECT_FALSE(internal::is_page("<!doctype html>"));
  EXPECT_FALSE(internal::is_page(""));
}

TEST(Page, StatesThatValuesAreHidden) {
  ReportJson report = testing::small_report();
  EXPECT_EQ(internal::page_of(report.dump()).find("are hidden"), std::string::npos);
  report["options"] = {{"values", false}};
  EXPECT_NE(internal::page_of(report.dump()).find("are hidden"), std::string::npos);
}

TEST(Page, RefusesOtherJson) {
  for (const char* const json : {"", "{", "[]", "7", "{\"a\":1} x"}) {
    EXPECT_THROW(static_cast<void>(internal::page_of(json)), ConfigError) << json;
  }
}

}  // namespace
}  // namespace sheaf
