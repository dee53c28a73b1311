#include "format/wav/wav_files.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/wav/wav_test_files.h"

namespace sheaf::wav {
namespace {

TEST(WavFiles, AnOpenSourceIsTheOnlyFile) {
  const WavFiles files(memory_source("abc", "d/a.wav"));
  EXPECT_EQ(files.count(), 1);
  EXPECT_EQ(files.path(0), "d/a.wav");
  EXPECT_EQ(files.open(0)->size(), 3);
  const WavFiles::Sources all = files.open_all(std::vector<std::int64_t>{0, 0});
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_TRUE(files.open_all({}).empty());
}

TEST(WavFiles, PathsAreOpenedByTheirNumbersAndKeptOpen) {
  testing::WavFilesInMemory memory = {{"a.wav", "1"}, {"b.wav", "22"}, {"c.wav", "333"}};
  const WavFiles files(memory.paths(), {.files = &memory.file_system()}, {});
  EXPECT_EQ(files.count(), 3);
  const std::vector<std::int64_t> numbers = {2, 0};
  const WavFiles::Sources first = files.open_all(numbers);
  EXPECT_EQ(first[0]->size(), 3);
  EXPECT_EQ(first[1]->size(), 1);
  EXPECT_EQ(files.open_all(numbers), first);
  EXPECT_EQ(files.open(1)->size(), 2);
  EXPECT_GT(files.memory_bytes(), 15);
}

TEST(WavFiles, AMissingFileIsAnIoError) {
  testing::WavFilesInMemory memory = {};
  const WavFiles files({"a.wav"}, {.files = &memory.file_system()}, {});
  EXPECT_THROW(static_cast<void>(files.open(0)), IoError);
  EXPECT_THROW(static_cast<void>(files.open_all(std::vector<std::int64_t>{0})), IoError);
}

}  // namespace
}  // namespace sheaf::wav
