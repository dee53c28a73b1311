#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(HtkFormat, IsRecognizedByItsExtension) {
  for (const char* path : {"a.scp", "data/A.SCP"}) {
    const Format& format = find_format(path, {});
    EXPECT_EQ(format.name, "htk") << path;
    EXPECT_TRUE(format.writes_several);
    EXPECT_TRUE(format.keeps_keys);
  }
}

TEST(HtkFormat, HasTheNamesOfCntk) {
  for (const char* name : {"HTKDeserializers", "HTKMLFReader", "HTKFeatureDeserializer"}) {
    const Format* const format = find_cntk_format(name);
    ASSERT_NE(format, nullptr) << name;
    EXPECT_EQ(format->name, "htk") << name;
    EXPECT_TRUE(format->cntk->makes_text_keys());
  }
}

}  // namespace
}  // namespace sheaf
