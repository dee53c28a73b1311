#include "format/megatron/megatron_options.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::megatron {
namespace {

using sheaf::testing::error_of;

TEST(MegatronOptions, TokensLieBesideTheirList) {
  EXPECT_EQ(tokens_path_beside("a/t.idx"), "a/t.bin");
  EXPECT_EQ(tokens_path_beside("t.x.idx"), "t.x.bin");
  EXPECT_EQ(tokens_path_beside("a/t.idx.gz"), "a/t.bin");
  EXPECT_EQ(error_of<ConfigError>([] { static_cast<void>(tokens_path_beside("a/t.list")); }),
            "a/t.list: expected a name that ends in .idx, beside which lie the tokens; "
            "megatron.tokens=FILE names another file");
}

TEST(MegatronOptions, TheUndeclaredStreamHasADefaultName) {
  const ReadOptions options = read_options_of({});
  EXPECT_EQ(options.stream_name, "tokens");
  EXPECT_FALSE(options.dtype);
  EXPECT_EQ(options.tokens_path, "");
}

TEST(MegatronOptions, TheTypeOfTheStreamOverridesTheCommonType) {
  FormatOptions options{.streams = {{.name = "ids", .defines_minibatch_size = true}},
                        .dtype = ElementType::i64};
  EXPECT_EQ(read_options_of(options).dtype, ElementType::i64);
  options.streams[0].dtype = ElementType::i32;
  EXPECT_EQ(read_options_of(options).dtype, ElementType::i32);
  EXPECT_TRUE(read_options_of(options).defines_minibatch_size);
}

TEST(MegatronOptions, AnAliasMustNameTheStream) {
  const auto refused = [](const std::string& alias) {
    return error_of<ConfigError>([&] {
      static_cast<void>(read_options_of({.streams = {{.name = "ids", .alias = alias}}}));
    });
  };
  EXPECT_EQ(refused("ids"), "");
  EXPECT_EQ(refused("tokens"), "");
  EXPECT_NE(refused("text"), "");
}

}  // namespace
}  // namespace sheaf::megatron
