#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

#include "format/megatron/megatron_list.h"

namespace sheaf::megatron {
namespace {

TEST(MegatronFormat, IsRecognizedByItsMagic) {
  FormatOptions options;
  options.format = "megatron";
  const Format& format = find_format("t.idx", options);
  EXPECT_EQ(format.recognize(std::string(kMagic) + "more"), Recognition::certain);
  EXPECT_EQ(format.recognize(kMagic), Recognition::certain);
  EXPECT_EQ(format.recognize(kMagic.substr(0, kMagic.size() - 1)), Recognition::no);
  EXPECT_EQ(format.recognize(""), Recognition::no);
  EXPECT_EQ(find_format("t.idx", FormatOptions{}).name, "megatron");
}

}  // namespace
}  // namespace sheaf::megatron
