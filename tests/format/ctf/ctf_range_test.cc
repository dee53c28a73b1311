#include "format/ctf/ctf_range.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sheaf/error.h"

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

FormatOptions options_with(IndexMode mode) {
  FormatOptions options;
  options.streams = {{.name = "A", .sample_shape = Shape{1}}};
  options.chunk_size_bytes = 3 << 20;
  options.index.mode = mode;
  return options;
}

/// All sequences, through the index file where there is one.
std::int64_t read_all(const std::string& path, const FormatOptions& options) {
  const CtfDeserializer data(open_file(path), options);
  std::int64_t count = 0;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    count += data.read({.chunk = i}, diagnostics).sequence_count();
  }
  return count;
}

// A change in the middle of a file leaves size, head and tail alone, and here even every row.
TEST(CtfRange, AChangedUnitIsFoundByItsHash) {
  const std::string folder = ::testing::TempDir() + "ctf_range_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/a.ctf";
  const std::string index_path = path + ".sheaf-index";
  std::string text;
  while (text.size() < std::size_t{8} << 20) text += "|A 1 |# " + std::string(1000, '.') + "\n";
  write_file(path, text);
  const std::int64_t count = read_all(path, options_with(IndexMode::rebuild));
  EXPECT_TRUE(std::filesystem::exists(index_path));
  EXPECT_EQ(read_all(path, options_with(IndexMode::require)), count);

  text[text.find("|A 1", text.size() / 2) + 3] = '2';
  write_file(path, text);
  EXPECT_THROW((void)read_all(path, options_with(IndexMode::require)), IoError);
  EXPECT_TRUE(std::filesystem::exists(index_path));
  EXPECT_THROW((void)read_all(path, options_with(IndexMode::automatic)), IoError);
  EXPECT_FALSE(std::filesystem::exists(index_path));  // the next run scans
  EXPECT_EQ(read_all(path, options_with(IndexMode::automatic)), count);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sheaf::ctf
