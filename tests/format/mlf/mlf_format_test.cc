#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

namespace sheaf {
namespace {

TEST(MlfFormat, IsRecognizedByItsExtension) {
  EXPECT_EQ(find_format("a.mlf", {}).name, "mlf");
  EXPECT_EQ(find_format("A.MLF.gz", {}).name, "mlf");
  const auto data =
      find_format("a.mlf", {}).open({memory_source("#!MLF!#\n\"u\"\n0 1 a 3\n.\n", "a.mlf"), {}});
  ASSERT_EQ(data->streams().size(), 1U);
  EXPECT_EQ(to_string(data->streams()[0]), "a: sparse f32 [4]");
}

TEST(MlfFormat, AMarkUnderAnotherExtensionIsAnError) {
  const auto source = memory_source("\n #!MLF!#\n", "x");
  EXPECT_THROW(static_cast<void>(find_format("x.ctf", *source, {})), ConfigError);
}

TEST(MlfFormat, BinaryFilesAreRecognizedByTheirFirstBytes) {
  const std::string version_2("MLF\2\0", 5);
  EXPECT_THROW(static_cast<void>(find_format("x.ctf", *memory_source(version_2, "x"), {})),
               ConfigError);
  const std::string version_3("MLF\3\0", 5);
  EXPECT_EQ(find_format("x.ctf", *memory_source(version_3, "x"), {}).name, "ctf");
}

TEST(MlfFormat, HasTheNamesOfTheCntkDeserializers) {
  EXPECT_EQ(find_cntk_format("HTKMLFDeserializer")->name, "mlf");
  const CntkNames* const names = find_format("a.mlf", {}).cntk;
  ASSERT_NE(names, nullptr);
  ASSERT_NE(names->stream, nullptr);
  EXPECT_FALSE(names->stream->may_be_first);
  EXPECT_FALSE(names->has_strict) << "configurations read what CNTK read";
  EXPECT_TRUE(names->makes_text_keys());
}

}  // namespace
}  // namespace sheaf
