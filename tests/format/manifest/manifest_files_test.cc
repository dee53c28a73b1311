#include "format/manifest/manifest_files.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/manifest/manifest_test_files.h"
#include "support/write_file.h"

namespace sheaf::manifest {
namespace {

using sheaf::testing::write_file;
using testing::bytes_of;
using testing::counting_wav;
using testing::npy;

TEST(ManifestFiles, OpensFilesBesideTheManifest) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "d/a.wav", counting_wav(3));
  write_file(*files, "b.wav", counting_wav(4, 2));
  ManifestFiles opened({.files = files.get()}, "d", Samples::audio, 1);
  const std::vector<std::string_view> paths{"a.wav", "none.wav", "b.wav", ""};
  const ManifestFiles::Files found = opened.open_all(paths);
  EXPECT_EQ(std::get<internal::RiffAudio>(found[0]->contents).sample_count, 3);
  EXPECT_EQ(found[1], nullptr);
  EXPECT_EQ(std::get<internal::RiffAudio>(found[2]->contents).channel_count, 2);
  EXPECT_EQ(found[3], nullptr);
  EXPECT_EQ(opened.open_count(), 2U);
  EXPECT_EQ(opened.path_of("a.wav"), "d/a.wav");
}

TEST(ManifestFiles, FilesWithFaultsAreOpenedAgain) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", "nothing");
  ManifestFiles opened({.files = files.get()}, ".", Samples::features, 7);
  const std::vector<std::string_view> paths{"a"};
  EXPECT_EQ(std::get<FileFault>(opened.open_all(paths)[0]->contents).kind, &kNpy);
  EXPECT_EQ(opened.open_count(), 0U);
  write_file(*files, "a", npy("<f4", "(1, 2)", bytes_of({1, 2})));
  EXPECT_EQ(std::get<NpyArray>(opened.open_all(paths)[0]->contents).dim, 2);
  ManifestFiles as_audio({.files = files.get()}, ".", Samples::audio, 7);
  EXPECT_EQ(std::get<FileFault>(as_audio.open_all(paths)[0]->contents).kind, &internal::kNotRiff);
}

TEST(ManifestFiles, FewFilesStayOpen) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::vector<std::string> names;
  for (int i = 0; i < 130; ++i) names.push_back(std::to_string(i));
  for (const std::string& name : names) write_file(*files, name, counting_wav(1));
  ManifestFiles opened({.files = files.get()}, ".", Samples::audio, 1 << 20, 3);
  const std::vector<std::string_view> paths(names.begin(), names.end());
  for (const auto& file : opened.open_all(paths)) ASSERT_NE(file, nullptr);
  EXPECT_EQ(opened.open_count(), 3U);
}

}  // namespace
}  // namespace sheaf::manifest
