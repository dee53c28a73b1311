#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "support/error_of.h"

namespace sheaf {
namespace {

Recognition recognized_lines(const std::string& bytes) {
  return find_format("a.b64", {}).recognize(bytes);
}

TEST(ImageBase64Format, HasItsOwnExtensions) {
  EXPECT_EQ(find_format("train.b64", {}).name, "image_base64");
  EXPECT_EQ(find_format("train.base64", {}).name, "image_base64");
}

TEST(ImageBase64Format, TheFirstBytesOfAnImageAreACertainMatch) {
  EXPECT_EQ(recognized_lines("7\t/9j/4AAQ\n"), Recognition::certain);
  EXPECT_EQ(recognized_lines("\xEF\xBB\xBF\n7\tiVBORw0KGgoAAA\r\n"), Recognition::certain);
  EXPECT_EQ(recognized_lines("cat 1\t7\tUklGRiQA \t\n"), Recognition::certain);
  EXPECT_EQ(recognized_lines("3\t7\t/9j/"), Recognition::certain) << "cut";
}

TEST(ImageBase64Format, OtherBase64IsAPossibleMatch) {
  EXPECT_EQ(recognized_lines(""), Recognition::possible);
  EXPECT_EQ(recognized_lines("7\tQUJD\n"), Recognition::possible);
  EXPECT_EQ(recognized_lines("k\t7\tQUJD\n"), Recognition::possible);
}

TEST(ImageBase64Format, OtherColumnsAreNoMatch) {
  for (const char* text : {"7\n", "7\t\n", "x\t/9j/\n", "k\tx\t/9j/\n", "7 /9j/\n", "7\ta b\n",
                           "7\timages/a.jpg\n", "k\t7\t\n", "0 |x 1\n"}) {
    EXPECT_EQ(recognized_lines(text), Recognition::no) << text;
  }
}

TEST(ImageBase64Format, TextWithAnotherExtensionGetsAHint) {
  const auto source = memory_source("7\t/9j/4AAQ\n", "a_map.txt");
  EXPECT_NE(testing::error_of<ConfigError>([&] {
              static_cast<void>(find_format("a_map.txt", *source, {}));
            }).find("the first bytes are those of image_base64"),
            std::string::npos);
}

TEST(ImageBase64Format, HasTheNameOfTheCntkDeserializer) {
  const Format* const format = find_cntk_format("Base64ImageDeserializer");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->name, "image_base64");
}

}  // namespace
}  // namespace sheaf
