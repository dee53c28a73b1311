#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(CsvFormat, IsRecognizedByItsExtensions) {
  for (const char* path : {"a.csv", "a.TSV", "a.csv.gz"}) {
    EXPECT_EQ(find_format(path, {}).name, "csv") << path;
  }
  const auto data = find_format("a.tsv", {}).open({memory_source("x,y\tz\n3\t4.5\n", "a.tsv"), {}});
  ASSERT_EQ(data->streams().size(), 2U);
  EXPECT_EQ(to_string(data->streams()[0]), "x,y: dense i64 [1]");
}

}  // namespace
}  // namespace sheaf
