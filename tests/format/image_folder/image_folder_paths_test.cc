#include "format/image_folder/image_folder_paths.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::image_folder {
namespace {

TEST(ImagePaths, ReturnTheStoredPaths) {
  const std::vector<std::pair<std::string, std::int64_t>> images = {
      {"0.jpg", 5},   {"a/1.jpg", 1 << 20}, {"a/b/1.jpg", 0},
      {"a/c.jpg", 7}, {"b/1.jpg", 8},       {"b/" + std::string(300, 'x'), 9}};
  ImagePaths::Builder builder;
  for (int root = 0; root < 2; ++root) {
    builder.begin_root();
    for (const auto& [path, size] : images) builder.push_back(path, size + root);
  }
  const ImagePaths paths = builder.finish();
  ASSERT_EQ(paths.count(), 12);
  ASSERT_EQ(paths.folder_count(), 8);
  for (std::int64_t i = 0; i < paths.count(); ++i) {
    const auto& [path, size] = images[static_cast<std::size_t>(i % 6)];
    EXPECT_EQ(paths.path(i), path);
    EXPECT_EQ(paths.path_size(i), std::ssize(path));
    EXPECT_EQ(paths.size_bytes(i), size + i / 6);
    EXPECT_EQ(paths.root(paths.folder(i)), i / 6);
    EXPECT_TRUE(path.starts_with(paths.folder_path(paths.folder(i))));
  }
  EXPECT_EQ(paths.folder_path(0), "");
  EXPECT_EQ(paths.folder_path(1), "a/");
  EXPECT_EQ(paths.folder(1), paths.folder(3)) << "a folder is kept once";
  EXPECT_NE(paths.folder(1), paths.folder(7)) << "of another root";
}

TEST(ImagePaths, TakeLittleMoreMemoryThanTheirNames) {
  ImagePaths::Builder builder;
  builder.begin_root();
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const std::string number = std::to_string(100'000 + i);
    builder.push_back("n" + std::to_string(i / 1000) + "/" + number + ".jpg",
                      100'000 + i * 7919 % 50'000);
  }
  const ImagePaths paths = builder.finish();
  EXPECT_LT(paths.memory_bytes(), kCount * (10 + 6));
  EXPECT_EQ(paths.path(kCount - 1), "n19/119999.jpg");
}

}  // namespace
}  // namespace sheaf::image_folder
