#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "format/sheaf/container_data.h"
#include "support/error_of.h"

namespace sheaf::container {
namespace {

using ::sheaf::testing::container_of;
using ::sheaf::testing::error_of;
using ::sheaf::testing::text_data_of;

TEST(SheafFormat, EveryFileBeginsWithTheMark) {
  const Format& format = conformance::format_named("sheaf");
  const std::string bytes = container_of(*text_data_of("ctf", "|x 1 2\n|x 3 4\n"));
  EXPECT_EQ(format.recognize(bytes), Recognition::certain);
  EXPECT_EQ(format.recognize(std::string_view(bytes).substr(0, 8)), Recognition::certain);
  for (std::size_t size = 0; size < 8; ++size) {
    EXPECT_EQ(format.recognize(std::string_view(bytes).substr(0, size)), Recognition::no);
    std::string other = bytes;
    other[size] ^= 1;
    EXPECT_EQ(format.recognize(other), Recognition::no) << size;
  }
}

TEST(SheafFormat, TheExtensionSelectsTheFormat) {
  EXPECT_EQ(find_format("a/b.sheaf", FormatOptions{}).name, "sheaf");
  EXPECT_EQ(find_writable_format("b.sheaf", {}).name, "sheaf");
  EXPECT_TRUE(conformance::format_named("sheaf").keeps_keys);
}

TEST(SheafFormat, UnknownOptionsAreRefused) {
  EXPECT_EQ(
      error_of([] {
        static_cast<void>(container_of(*text_data_of("ctf", "|x 1\n"),
                                       {.extra = {{"sheaf.compresion", "none"}}}));
      }),
      "extra: sheaf has no option \"sheaf.compresion\" for writing; it has sheaf.compression");
  EXPECT_EQ(error_of([] {
              static_cast<void>(container_of(*text_data_of("ctf", "|x 1\n"),
                                             {.extra = {{"sheaf.compression", "big"}}}));
            }),
            "sheaf.compression: expected fast, small or none, found \"big\"");
}

}  // namespace
}  // namespace sheaf::container
