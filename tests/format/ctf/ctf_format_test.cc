#include <string_view>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(CtfFormat, IsRecognizedByNameAndExtension) {
  for (const std::string_view path : {"train.ctf", "a.b/train.TXT", "/data/x.txt"}) {
    EXPECT_EQ(find_format(path, {}).name, "ctf") << path;
  }
  EXPECT_EQ(find_format("train.dat", {.format = "ctf"}).name, "ctf");
}

TEST(CtfFormat, OpensASource) {
  const FormatOptions options = {.streams = {{.name = "x", .sample_shape = Shape{1}}}};
  const auto data = find_format("a.ctf", options).open({memory_source("|x 1\n", "a.ctf"), options});
  EXPECT_EQ(data->index().chunk(ChunkIndex{})->sequence_count, 1);
  const auto found = find_format("a.ctf", {}).open({memory_source("|x 1\n", "a.ctf"), {}});
  ASSERT_EQ(found->streams().size(), 1U);
  EXPECT_EQ(found->streams()[0], data->streams()[0]);
}

}  // namespace
}  // namespace sheaf
