#include "ops/report/page_fields.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

const Json kFields = Json::parse(
    R"({"count":12,"share":0.5,"text":"a<b","list":[1,"x"],"big":18446744073709551615,
        "nothing":null,"object":{"inner":3}})");

TEST(PageFields, AnAbsentFieldIsNull) {
  EXPECT_TRUE(field(kFields, "no such").is_null());
  EXPECT_TRUE(field(kFields["list"], "count").is_null());
  EXPECT_TRUE(field(Json(), "count").is_null());
  EXPECT_EQ(field(kFields["object"], "inner"), 3);
}

TEST(PageFields, AFieldOfAnotherTypeCountsAsAbsent) {
  EXPECT_EQ(count_in(kFields, "count"), 12);
  EXPECT_EQ(count_in(kFields, "share"), std::nullopt);
  EXPECT_EQ(count_in(kFields, "text"), std::nullopt);
  EXPECT_EQ(number_in(kFields, "share"), 0.5);
  EXPECT_EQ(number_in(kFields, "count"), 12.0);
  EXPECT_EQ(number_in(kFields, "nothing"), std::nullopt);
  EXPECT_EQ(text_in(kFields, "text"), "a<b");
  EXPECT_EQ(text_in(kFields, "count"), "");
  EXPECT_EQ(list_in(kFields, "list").size(), 2U);
  EXPECT_TRUE(list_in(kFields, "object").empty());
}

TEST(PageFields, AnElementBeyondTheEndIsNull) {
  EXPECT_EQ(element(kFields["list"], 1), "x");
  EXPECT_TRUE(element(kFields["list"], 2).is_null());
  EXPECT_TRUE(element(kFields["count"], 0).is_null());
}

TEST(PageFields, ValuesKeepAllDigitsOfWholeNumbers) {
  EXPECT_EQ(value_html(kFields["big"]), "18446744073709551615");
  EXPECT_EQ(value_html(kFields["share"]), "0.5");
  EXPECT_EQ(value_html(kFields["text"]), "<bdi>a&lt;b</bdi>");
  EXPECT_EQ(value_html(kFields["object"]), "");
  EXPECT_EQ(value_html(kFields["nothing"]), "");
}

TEST(PageFields, AMissingNumberIsAnEmptyText) {
  EXPECT_EQ(shown_if(count_in(kFields, "count"), count_text), "12");
  EXPECT_EQ(shown_if(count_in(kFields, "no such"), count_text), "");
}

}  // namespace
}  // namespace sheaf::internal::page
