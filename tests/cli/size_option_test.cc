#include "options/size_option.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

TEST(SizeOption, UnitsArePowersOf1000Or1024) {
  EXPECT_EQ(parse_size("--x", "4096"), 4096);
  EXPECT_EQ(parse_size("--x", "64MiB"), std::int64_t{64} << 20);
  EXPECT_EQ(parse_size("--x", "64M"), std::int64_t{64} << 20);
  EXPECT_EQ(parse_size("--x", "64m"), std::int64_t{64} << 20);
  EXPECT_EQ(parse_size("--x", "2GB"), 2'000'000'000);
  EXPECT_EQ(parse_size("--x", "1.5GiB"), std::int64_t{3} << 29);
  EXPECT_EQ(parse_size("--x", "0.25k"), 256);
  EXPECT_EQ(parse_size("--x", "1.0000019kB"), 1000);  // a part of a byte is cut off
  EXPECT_EQ(parse_size("--x", "8388607T"), std::int64_t{8388607} << 40);
}

TEST(SizeOption, OtherTextsAreRefused) {
  for (const std::string text :
       {"", "x", "-1", "1.", ".5G", "1.GiB", "1.5", "1.5B", "1,5G", "64 M", "64Mi", "1.5.5G"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(static_cast<void>(parse_size("--x", text)), ConfigError);
  }
  EXPECT_THROW(static_cast<void>(parse_size("--x", "8388608T")), ConfigError);
  EXPECT_THROW(static_cast<void>(parse_size("--x", "9223372036854775808")), ConfigError);
}

}  // namespace
}  // namespace sheaf::cli
