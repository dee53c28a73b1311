#include "format/kaldi/kaldi_sources.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::write_file;

// The text "packed", compressed with gzip.
constexpr std::string_view kPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x48\x4c\xce\x4e\x4d\x01\x00\x10\xb4\xf6\x21\x06"
    "\x00\x00\x00",
    26);

std::string text_of(const ByteSource& source) {
  std::string text(static_cast<std::size_t>(source.size()), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

TEST(KaldiSources, OpensFilesAndRunsDecompressionCommands) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", "plain");
  write_file(*files, "lists/b.gz", kPacked);
  KaldiSources sources({.files = files.get()}, "lists");
  const std::vector<std::string_view> names = {"a", "\nb.gz", "b.gz", "none", "", "\na", "a"};
  const auto all = sources.open_all(names);
  ASSERT_EQ(all.size(), names.size());
  EXPECT_EQ(text_of(*all[0]), "plain");
  EXPECT_EQ(text_of(*all[1]), "packed") << "beside the list";
  EXPECT_NE(text_of(*all[2]), "packed") << "without a command";
  EXPECT_EQ(all[3], nullptr);
  EXPECT_EQ(all[4], nullptr);
  EXPECT_EQ(text_of(*all[5]), "plain") << "zcat of a plain file";
  EXPECT_EQ(all[6], all[0]);
  EXPECT_EQ(sources.open_count(), 4U);
  EXPECT_EQ(sources.path_of("\nb.gz"), "lists/b.gz");
}

TEST(KaldiSources, DamagedFilesAreErrors) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string packed(kPacked);
  packed[packed.size() - 6] ^= 1;  // in the checksum
  write_file(*files, "b.gz", packed);
  KaldiSources sources({.files = files.get()}, ".");
  EXPECT_THROW(static_cast<void>(sources.open("\nb.gz")), IoError);
}

}  // namespace
}  // namespace sheaf::kaldi
