#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

#include "format/webdataset/webdataset_test_files.h"

namespace sheaf {
namespace {

TEST(WebdatasetFormat, ShardsHaveTheExtensionTar) {
  EXPECT_EQ(find_format("train-000.tar", {}).name, "webdataset");
  EXPECT_EQ(find_format("train-000.tar.gz", {}).name, "webdataset");
  EXPECT_THROW(static_cast<void>(find_format("train-000.zip", {})), ConfigError);
}

TEST(WebdatasetFormat, TheUstarMagicIsACertainMatch) {
  const Format& format = find_format("a.tar", {});
  const std::string header = tar_header({.name = "a.jpg"});
  EXPECT_EQ(format.recognize(header), Recognition::certain);
  EXPECT_EQ(format.recognize(header.substr(0, 262)), Recognition::certain);
  EXPECT_EQ(format.recognize(header.substr(0, 261)), Recognition::no);
  EXPECT_EQ(format.recognize(""), Recognition::no);
}

}  // namespace
}  // namespace sheaf
