#include "format/image_folder/image_folder_classes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "support/error_of.h"

namespace sheaf::image_folder {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::string& text) { return read_class_names(*memory_source(text, "names")); }

std::string refusal_of_names(const std::string& text) {
  return testing::error_of<DataError>([&] { static_cast<void>(names_of(text)); });
}

TEST(ClassNames, AreTheLinesOfAFile) {
  EXPECT_EQ(names_of("dogs\ncats"), (Names{"dogs", "cats"}));
  EXPECT_EQ(names_of("dogs\r\n\n a b \r\n"), (Names{"dogs", " a b "}));
}

TEST(ClassNames, AreUnique) {
  EXPECT_EQ(refusal_of_names("a\nb\na\n").substr(0, 11), "names:3:1: ");
  EXPECT_NE(refusal_of_names("a\nb\na\n").find("image_folder-repeated-name"), std::string::npos);
}

TEST(ClassNames, MustNotBeEmpty) {
  EXPECT_NE(refusal_of_names("").find("found an empty file"), std::string::npos);
  EXPECT_NE(refusal_of_names("\n\n").find("found only blank lines"), std::string::npos);
}

// A name has at most 1 MiB. Tests one below, at and above the limit.
TEST(ClassNames, MayBeLong) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  for (const std::size_t size : {kMost - 1, kMost}) {
    EXPECT_EQ(names_of(std::string(size, 'a') + "\nb"), (Names{std::string(size, 'a'), "b"}));
  }
  EXPECT_NE(
      testing::error_of<ConfigError>([] { (void)names_of(std::string(kMost + 1, 'a') + "\nb"); }),
      "");
}

}  // namespace
}  // namespace sheaf::image_folder
