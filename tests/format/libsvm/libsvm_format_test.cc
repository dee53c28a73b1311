#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(LibsvmFormat, IsRecognizedByItsExtensions) {
  for (const char* path : {"a.libsvm", "a.svm", "A.SVMLIGHT"}) {
    EXPECT_EQ(find_format(path, {}).name, "libsvm") << path;
  }
  const auto data = find_format("a.svm", {}).open({memory_source("1 3:1\n", "a.svm"), {}});
  ASSERT_EQ(data->streams().size(), 2U);
  EXPECT_EQ(to_string(data->streams()[1]), "features: sparse f32 [3]");
}

}  // namespace
}  // namespace sheaf
