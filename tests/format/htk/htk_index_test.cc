#include "format/htk/htk_index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/htk/htk_test_file.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;

/// A list with its index.
struct Opened {
  Opened(FileSystem& files, std::string_view text, const FormatOptions& given = {},
         Executor* executor = nullptr)
      : options(read_options_of(given, "a.scp")), opened(files, ".", 1 << 20) {
    write_file(files, "a.scp", text);
    index = std::make_unique<HtkIndex>(
        HtkIndex::Parts{.list = files.open("a.scp"),
                        .rules = {},
                        .options = &options,
                        .index = given.index,
                        .context = {.files = &files, .executor = executor},
                        .files = &opened});
  }

  ReadOptions options;
  ParameterFiles opened;
  std::unique_ptr<HtkIndex> index;
};

std::vector<std::int64_t> lengths(const HtkIndex& index) {
  std::vector<std::int64_t> all;
  for (ChunkIndex number{}; index.chunk(number); number = next(number)) {
    const auto table = index.sequences(number);
    for (std::int64_t i = 0; i < table->size(); ++i) all.push_back(table->sample_count(i));
  }
  return all;
}

TEST(HtkIndex, ListsWithRangesOpenOnlyTheFirstFile) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2, 3, 4}, 2));
  const Opened list(*files, "a=u.htk[0,1]\nb=none.htk[3,8]\nc=u.htk[1,1]\n");
  EXPECT_EQ(lengths(*list.index), (std::vector<std::int64_t>{2, 6, 1}));
  EXPECT_EQ(list.index->dim(), 2);
  EXPECT_EQ(list.opened.open_count(), 1U);
  EXPECT_EQ(list.index->chunk(ChunkIndex{})->sample_count, 9);
}

TEST(HtkIndex, HeadersOfListsWithoutRangesAreReadByAnyNumberOfThreads) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string text;
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 300; ++i) {  // several rounds
    const std::string name = "f" + std::to_string(i) + ".htk";
    const auto count = static_cast<std::size_t>(i % 7 + 1);
    write_file(*files, name, testing::file(std::vector<float>(count), 1));
    text += name + '\n';
    expected.push_back(static_cast<std::int64_t>(count));
  }
  EXPECT_EQ(lengths(*Opened(*files, text).index), expected);
  const std::unique_ptr<Executor> executor = thread_pool(4);
  EXPECT_EQ(lengths(*Opened(*files, text, {}, executor.get()).index), expected);
}

TEST(HtkIndex, ALineMayBeLongerThanTheBlocksOfTheScan) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2}, 1));
  const std::string name(3 << 20, 'n');
  const Opened list(*files, "a=u.htk[0,0]\n" + name + "=u.htk[0,1]\nb=u.htk[1,1]");
  EXPECT_EQ(lengths(*list.index), (std::vector<std::int64_t>{1, 2, 1}));
  const auto lines = list.index->lines(ChunkIndex{});
  EXPECT_EQ(lines->offsets[1], 13);
  EXPECT_EQ(lines->offsets[2], 13 + (3 << 20) + 12);
}

TEST(HtkIndex, ALineMayEndAtTheBorderOfABlock) {
  constexpr std::int64_t kBlock = 1 << 20;  // kBlockSize
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2}, 1));
  const std::string rest = "=u.htk[0,0]\n";
  for (std::int64_t size = kBlock - 2; size <= kBlock + 2; ++size) {
    const std::string first = std::string(static_cast<std::size_t>(size) - rest.size(), 'n') + rest;
    const Opened list(*files, first + "b=u.htk[0,1]\n");
    EXPECT_EQ(lengths(*list.index), (std::vector<std::int64_t>{1, 2})) << size;
    EXPECT_EQ(list.index->lines(ChunkIndex{})->offsets[1], size);
  }
}

TEST(HtkIndex, HeadersAreReadInBatches) {
  FormatOptions options;
  options.index.mode = IndexMode::automatic;
  for (const int count : {1, 63, 64, 65, 255, 256, 257}) {  // kRoundSize, kProbedMin
    const std::unique_ptr<FileSystem> files = memory_files();
    std::string text;
    std::vector<std::int64_t> expected;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i) + ".htk";
      expected.push_back(i % 3 + 1);
      write_file(*files, name,
                 testing::file(std::vector<float>(static_cast<std::size_t>(expected.back())), 1));
      text += name + '\n';
    }
    EXPECT_EQ(lengths(*Opened(*files, text, options).index), expected) << count;
    EXPECT_EQ(files->exists("a.scp.sheaf-index"), count >= 256) << count;
  }
}

TEST(HtkIndex, SmallChunksAreGroupedIfTheOrderAllows) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file(std::vector<float>(100), 1));
  FormatOptions options;
  options.groups_chunks = true;
  options.chunk_size_bytes = 100;  // 25 frames
  const Opened list(*files, "a=u.htk[0,9]\nb=u.htk[10,19]\nc=u.htk[20,29]\nd=u.htk[0,99]\n",
                    options);
  std::vector<std::int64_t> counts;
  for (ChunkIndex i{}; list.index->chunk(i); i = next(i)) {
    counts.push_back(list.index->chunk(i)->sequence_count);
  }
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(list.index->chunk(next(ChunkIndex{}))->offset_bytes, 80);
}

TEST(HtkIndex, TheFirstFileMustExist) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string message =
      error_of<DataError>([&] { static_cast<void>(Opened(*files, "a=none.htk[0,1]\n")); });
  EXPECT_NE(message.find("a.scp:1:3: "), std::string::npos) << message;
  EXPECT_NE(message.find("[htk-missing-file]"), std::string::npos) << message;
  FormatOptions options;
  options.streams = {{.name = "x", .sample_shape = Shape{3}}};
  EXPECT_EQ(Opened(*files, "a=none.htk[0,1]\n", options).index->dim(), 3) << "the dim is declared";
}

TEST(HtkIndex, AnIndexFileHoldsTheResultOfTheScan) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2, 3}, 1));
  const std::string text = "a=u.htk\nb=u.htk[1,2]\na=u.htk[0,0]\nc=u.htk[2,2]\n";
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  const Opened first(*files, text, options);
  options.index.mode = IndexMode::require;
  const Opened second(*files, text, options);
  EXPECT_EQ(lengths(*first.index), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(lengths(*second.index), (std::vector<std::int64_t>{2, 1}));
  const auto entry = [](const Opened& list, std::int64_t i) {
    return list.index->sequences(ChunkIndex{})->location(i);
  };
  EXPECT_EQ(entry(first, 1), entry(second, 1));
  ASSERT_EQ(second.index->warnings().size(), 1U);
  EXPECT_EQ(second.index->warnings()[0].line, 1);
  EXPECT_EQ(second.index->warnings()[0].count, 2);
}

// The list is read again if a key is repeated, anywhere.
TEST(HtkIndex, RepeatedKeysAreLeftOutAnywhere) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file(std::vector<float>(100), 1));
  constexpr int kCount = 40;
  for (int again = 0; again < kCount; ++again) {
    std::string text;
    std::vector<std::int64_t> expected;
    for (int i = 0; i < kCount; ++i) {
      text += "k" + std::to_string(i) + "=u.htk[0," + std::to_string(i) + "]\n";
      if (i != again) expected.push_back(i + 1);
    }
    text += "k" + std::to_string(again) + ".x=u.htk[0,99]\n";
    const Opened list(*files, text);
    EXPECT_EQ(lengths(*list.index), expected) << again;
    ASSERT_EQ(list.index->warnings().size(), 1U) << again;
    EXPECT_EQ(list.index->warnings()[0].line, again + 1);
    EXPECT_EQ(list.index->warnings()[0].count, 2);
  }
}

TEST(HtkIndex, TheFirstFileIsThatOfTheFirstKeptUtterance) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file({1, 2, 3, 4}, 2));
  write_file(*files, "w.htk", testing::file({1, 2, 3}, 3));
  EXPECT_EQ(Opened(*files, "a=none.htk[0,1]\nb=u.htk[0,1]\na=w.htk[0,0]\n").index->dim(), 2);
  EXPECT_EQ(Opened(*files, "a=w.htk[0,0]\nb=u.htk[0,1]\na=w.htk[0,0]\n").index->dim(), 2);
  FormatOptions options;
  options.extra["htk.max_frames"] = "1";
  const Opened list(*files, "a=w.htk[0,1]\nb=u.htk[0,0]\nc=none.htk[0,9]\nd=u.htk[1,1]\n", options);
  EXPECT_EQ(list.index->dim(), 2);
  EXPECT_EQ(lengths(*list.index), (std::vector<std::int64_t>{1, 1}));
  ASSERT_EQ(list.index->warnings().size(), 1U);
  EXPECT_EQ(list.index->warnings()[0].line, 1);
  EXPECT_EQ(list.index->warnings()[0].count, 2);
}

// The list is read again from the first line without a length.
TEST(HtkIndex, OneLineWithoutARangeIsEnoughToReadHeaders) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "u.htk", testing::file(std::vector<float>(100), 1));
  const std::string text = "a=u.htk[0,9]\n\nb=u.htk[10,10]\r\n";
  EXPECT_EQ(lengths(*Opened(*files, text).index), (std::vector<std::int64_t>{10, 1}));
  const Opened list(*files, text + "c=u.htk\nd=u.htk[3,4]");
  EXPECT_EQ(lengths(*list.index), (std::vector<std::int64_t>{10, 1, 100, 2}));
  EXPECT_EQ(list.index->lines(ChunkIndex{})->offsets[1], 14);
  EXPECT_EQ(list.index->chunk(ChunkIndex{})->sample_count, 113);
}

}  // namespace
}  // namespace sheaf::htk
