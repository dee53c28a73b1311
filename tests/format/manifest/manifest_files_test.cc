#include "format/manifest/manifest_files.h"

#include <cstdint>
#include <limits>
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

TEST(ManifestFiles, FilesWithErrorsAreReopened) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", "nothing");
  ManifestFiles opened({.files = files.get()}, ".", Samples::features, 7);
  const std::vector<std::string_view> paths{"a"};
  EXPECT_EQ(std::get<FileFault>(opened.open_all(paths)[0]->contents).kind, &kNpy);
  EXPECT_EQ(opened.open_count(), 0U);
  write_file(*files, "a", npy("<f4", "(1, 2)", bytes_of({1, 2})));
  EXPECT_EQ(std::get<FloatArray>(opened.open_all(paths)[0]->contents).dim, 2);
  ManifestFiles as_audio({.files = files.get()}, ".", Samples::audio, 7);
  EXPECT_EQ(std::get<FileFault>(as_audio.open_all(paths)[0]->contents).kind, &internal::kNotRiff);
}

// Tests an empty matrix, rows without columns, a vector, and other bytes.
TEST(ManifestFiles, KaldiObjectsAreReadFromOneSource) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string one = testing::matrix_of_kaldi({1, 2, 3, 4}, 2);
  const std::string empty = testing::matrix_of_kaldi({}, 0);
  const std::string bytes = "k " + one + "l " + one + "e " + empty + "v 1 2\n";
  write_file(*files, "d/x.ark", bytes);
  ManifestFiles opened({.files = files.get()}, "d", Samples::features, 7);
  const auto open = [&](std::int64_t begin) {
    const std::string name = name_of({.path = "x.ark", .object_begin = begin});
    const std::string_view only = name;
    return opened.open_all({&only, 1})[0];
  };
  const auto size = std::ssize(one);
  const auto first = open(2);
  EXPECT_EQ(std::get<FloatArray>(first->contents),
            (FloatArray{.row_count = 2, .dim = 2, .value_size = 4, .data_bytes = 17}));
  const auto second = open(size + 4);
  EXPECT_EQ(std::get<FloatArray>(second->contents).data_bytes, size + 19);
  EXPECT_EQ(first->source, second->source);
  const auto kind_at = [&](std::int64_t begin) {
    return std::get<FileFault>(open(begin)->contents).kind;
  };
  EXPECT_EQ(kind_at(2 * size + 6), &kNoSamples);
  EXPECT_EQ(kind_at(std::ssize(bytes) - 4), &kMatrix);
  EXPECT_EQ(kind_at(std::ssize(bytes)), &kOffset);
  EXPECT_EQ(kind_at(std::numeric_limits<std::int64_t>::max()), &kOffset);
  EXPECT_EQ(kind_at(3), &internal::kKaldiObject);
  EXPECT_EQ(name_of({.path = "x.wav"}), "x.wav");
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
