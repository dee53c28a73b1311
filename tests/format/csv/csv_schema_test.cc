#include "format/csv/csv_schema.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/csv/csv_test_files.h"
#include "support/error_of.h"

namespace sheaf::csv {
namespace {

using testing::error_of;
using Texts = std::vector<std::string>;

const std::string kTable = "id,name,x0,x1,x2\n1,a,1,2,3\n2,b,4,5.5,6\n";

TEST(CsvSchema, EachColumnIsAStream) {
  EXPECT_EQ(streams_of(schema_of(kTable)),
            (Texts{"id: dense i64 [1]", "name: dense bytes [*]", "x0: dense i64 [1]",
                   "x1: dense f32 [1]", "x2: dense i64 [1]"}));
  EXPECT_EQ(streams_of(schema_of(kTable, options_with({{"csv.key", "id"}}))).size(), 4U);
}

TEST(CsvSchema, AdjacentColumnsMayFormOneStream) {
  const Extra extra = {{"csv.columns", "x=x0..x2,name,number=id"}};
  EXPECT_EQ(streams_of(schema_of(kTable, options_with(extra))),
            (Texts{"x: dense f32 [3]", "name: dense bytes [*]", "number: dense i64 [1]"}));
  EXPECT_EQ(streams_of(schema_of(kTable, options_with({{"csv.columns", "x=x0..x0"}}))),
            (Texts{"x: dense i64 [1]"}));
  const Schema schema = schema_of(kTable, options_with(extra));
  EXPECT_EQ(schema.columns[4].index, 2);
  EXPECT_TRUE(schema.columns[4].ends_sample);
  EXPECT_FALSE(schema.columns[3].ends_sample);
}

TEST(CsvSchema, DeclaredStreamsFindTheirColumns) {
  FormatOptions options;
  options.streams = {{.name = "y", .alias = "x", .sample_shape = Shape{3}},
                     {.name = "id", .dtype = ElementType::i32},
                     {.name = "name"}};
  EXPECT_EQ(streams_of(schema_of(kTable, options)),
            (Texts{"y: dense f32 [3]", "id: dense i32 [1]", "name: dense bytes [*]"}));
  options.streams = {{.name = "x", .sample_shape = Shape{1, 3}}};
  EXPECT_EQ(streams_of(schema_of(kTable, options)), (Texts{"x: dense f32 [1, 3]"}));
}

TEST(CsvSchema, ClassesAreNumbers) {
  FormatOptions options = options_with({{"csv.classes", "name"}});
  EXPECT_EQ(streams_of(schema_of(kTable, options))[1], "name: dense i32 [1]");
  options.dtype = ElementType::i64;
  EXPECT_EQ(streams_of(schema_of(kTable, options))[1], "name: dense i64 [1]");
  const Schema schema = schema_of(kTable, options);
  EXPECT_EQ(schema.columns[1].classes->find("b"), 1);
  EXPECT_EQ(schema.columns[1].classes->find("c"), -1);
}

TEST(CsvSchema, RefusesUnknownColumnsAndUnsupportedStreams) {
  struct Case {
    Extra extra;
    std::vector<StreamOptions> streams;
    std::string error;  // the beginning
  };
  const Case cases[] = {
      {{{"csv.columns", "x=x2..x0"}}, {}, "csv.columns: \"x2\" is behind \"x0\" in the file"},
      {{{"csv.columns", "=id"}}, {}, "csv.columns: a stream needs a name: \"=id\""},
      {{{"csv.columns", "id,i=id"}}, {}, "stream \"i\": another stream reads the column \"id\""},
      {{{"csv.columns", "id"}, {"csv.key", "id"}}, {}, "stream \"id\": the column \"id\" has the"},
      {{{"csv.columns", "id,id=x0"}}, {}, "streams: two have the name \"id\""},
      {{{"csv.columns", "id"}}, {{.name = "x"}}, "stream \"x\": csv.columns has no \"x\": \"id\""},
      {{{"csv.classes", "x1"}, {"csv.columns", "x=x0..x1"}},
       {},
       "stream \"x\": a column of csv.classes is a stream by itself"},
      {{{"csv.classes", "id"}},
       {{.name = "id", .dtype = ElementType::f32}},
       "stream \"id\": dtype: classes are int32 or int64, got f32"},
      {{},
       {{.name = "id", .storage = Storage::sparse}},
       "stream \"id\": csv has dense streams only: declare the stream as dense"},
      {{{"csv.columns", "id"}},
       {{.name = "id", .sample_shape = Shape{2}}},
       "stream \"id\": samples of [2] have 2 values, but \"id\" of the file are 1 column"},
      {{},
       {{.name = "id", .sample_shape = Shape{2, Shape::kVariable}}},
       "stream \"id\": texts of csv have the shape [*], got [2, *]"},
      {{},
       {{.name = "id", .sample_shape = Shape{Shape::kVariable}, .dtype = ElementType::f32}},
       "stream \"id\": numbers of csv have samples of fixed shape, got [*]"},
  };
  for (const Case& c : cases) {
    FormatOptions options = options_with(c.extra);
    options.streams = c.streams;
    const std::string error =
        error_of<ConfigError>([&] { static_cast<void>(schema_of(kTable, options)); });
    EXPECT_EQ(error.substr(0, c.error.size()), c.error);
  }
  const auto lacks = [](Extra extra) {
    return error_of<DataError>(
        [&] { static_cast<void>(schema_of(kTable, options_with(std::move(extra)))); });
  };
  EXPECT_NE(lacks({{"csv.key", "ident"}}).find("[csv-column]"), std::string::npos);
  EXPECT_NE(lacks({{"csv.columns", "x=x0..x9"}}).find("[csv-column]"), std::string::npos);
  EXPECT_NE(lacks({{"csv.classes", "nam"}}).find("did you mean \"name\"?"), std::string::npos);
  const auto lacks_for = [](const std::string& name, std::int64_t dim) {
    FormatOptions options;
    options.streams = {{.name = name, .sample_shape = Shape{dim}}};
    return error_of<DataError>([&] { static_cast<void>(schema_of(kTable, options)); });
  };
  EXPECT_NE(lacks_for("id", 2).find("a column \"id0\", which the stream \"id\" of 2 values names"),
            std::string::npos);
  EXPECT_NE(lacks_for("x", 4).find("a column \"x3\", which the stream \"x\" of 4 values names"),
            std::string::npos);
  EXPECT_NE(lacks_for("y", 1).find("a column \"y\", which the stream \"y\" names"),
            std::string::npos);
}

}  // namespace
}  // namespace sheaf::csv
