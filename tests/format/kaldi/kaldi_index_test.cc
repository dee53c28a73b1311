#include "format/kaldi/kaldi_index.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_test_files.h"
#include "support/error_of.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::error_of;
using sheaf::testing::write_file;
using testing::matrix;

/// An archive or a list, with its index.
struct Opened {
  Opened(FileSystem& files, const std::string& path, const FormatOptions& given = {},
         Executor* executor = nullptr)
      : options(read_options_of(given, path, false)), sources({.files = &files}, ".") {
    const KaldiIndex::Parts parts{.file = files.open(path),
                                  .options = &options,
                                  .index = given.index,
                                  .context = {.files = &files, .executor = executor}};
    if (path.ends_with(".ark")) {
      index = std::make_unique<ArchiveIndex>(parts);
    } else {
      index = std::make_unique<ListIndex>(parts, sources);
    }
  }

  ReadOptions options;
  KaldiSources sources;
  std::unique_ptr<KaldiIndex> index;
};

/// Returns "samples@source+offset(bytes)" of each sequence, with a bar before each chunk.
std::string told(const KaldiIndex& index) {
  std::string text;
  for (ChunkIndex number{}; const auto info = index.chunk(number); number = next(number)) {
    text += "|";
    const auto table = index.sequences(number);
    for (std::int64_t i = 0; i < table->size(); ++i) {
      const std::int64_t end =
          i + 1 < table->size() ? table->offset_bytes(i + 1) : info->size_bytes;
      text += std::to_string(table->sample_count(i)) + "@" +
              std::to_string(table->location(i)->source) + "+" +
              std::to_string(table->location(i)->offset_bytes) + "(" +
              std::to_string(end - table->offset_bytes(i)) + ") ";
    }
  }
  return text;
}

TEST(KaldiIndex, HasCountsLocationsAndSizes) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a " + matrix({1, 2, 3, 4}, 2) + "b " + matrix({1, 2}, 2));
  EXPECT_EQ(told(*Opened(*files, "x.ark").index), "|2@0+2(31) 1@0+35(23) ");
  write_file(*files, "x.scp", "b x.ark:35\nc none\na x.ark:2[1:1]\nbad\n");
  EXPECT_EQ(told(*Opened(*files, "x.scp").index), "|1@0+35(23) 0@1+0(0) 1@2+2(31) 0@3+0(0) ");
  FormatOptions small;
  small.chunk_size_bytes = 31;
  EXPECT_EQ(told(*Opened(*files, "x.ark", small).index), "|2@0+2(31) |1@0+35(23) ");
}

// The heads of 64 lines are read in a round.
TEST(KaldiIndex, HeadersAreReadByAnyNumberOfThreads) {
  for (const int count : {1, 63, 64, 65, 300}) {
    const std::unique_ptr<FileSystem> files = memory_files();
    std::string list;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i);
      write_file(*files, name, matrix(std::vector<float>(static_cast<std::size_t>(i % 5 + 1)), 1));
      list += "k" + name + " " + name + "\n";
    }
    write_file(*files, "x.scp", list);
    const std::string expected = told(*Opened(*files, "x.scp").index);
    const std::unique_ptr<Executor> executor = thread_pool(4);
    EXPECT_EQ(told(*Opened(*files, "x.scp", {}, executor.get()).index), expected) << count;
    EXPECT_EQ(std::count(expected.begin(), expected.end(), '@'), count);
  }
}

TEST(KaldiIndex, TheFirstObjectMustExistUnlessTheStreamIsDeclared) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.scp", "a none.ark:2\n");
  const std::string error =
      error_of<DataError>([&] { static_cast<void>(Opened(*files, "x.scp")); });
  EXPECT_NE(error.find("x.scp:1:3: "), std::string::npos) << error;
  EXPECT_NE(error.find("[kaldi-missing-file]"), std::string::npos) << error;
  FormatOptions declared;
  declared.streams = {{.name = "x", .sample_shape = Shape{3}, .dtype = ElementType::f32}};
  EXPECT_EQ(told(*Opened(*files, "x.scp", declared).index), "|0@0+2(0) ");
  write_file(*files, "x.ark", "a PKL");
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(Opened(*files, "x.ark"));
            }).find("x.ark: byte 2: "),
            std::string::npos);
  write_file(*files, "x.ark", "");
  EXPECT_NE(error_of<DataError>([&] {
              static_cast<void>(Opened(*files, "x.ark"));
            }).find("[kaldi-empty]"),
            std::string::npos);
}

TEST(KaldiIndex, AnIndexFileHoldsTheResultOfTheScan) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a " + matrix({1, 2, 3, 4}, 2) + "b " + matrix({1, 2}, 2));
  write_file(*files, "x.scp", "b x.ark:35\na x.ark:2[1:1]\n");
  for (const char* const path : {"x.ark", "x.scp"}) {
    FormatOptions options;
    options.index.mode = IndexMode::rebuild;
    const Opened first(*files, path, options);
    options.index.mode = IndexMode::require;
    const Opened second(*files, path, options);
    EXPECT_EQ(told(*second.index), told(*first.index));
    EXPECT_EQ(to_string(second.index->stream()), to_string(first.index->stream()));
  }
}

TEST(KaldiIndex, AnIndexFileHoldsErrors) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const char* const archive : {"a 1\nb", "a 1\nb x", "a 1\nb "}) {
    write_file(*files, "x.ark", archive);
    FormatOptions options;
    options.index.mode = IndexMode::rebuild;
    const std::string expected = told(*Opened(*files, "x.ark", options).index);
    options.index.mode = IndexMode::require;
    EXPECT_EQ(told(*Opened(*files, "x.ark", options).index), expected) << archive;
  }
}

TEST(KaldiIndex, AnIndexOfAnotherFirstObjectIsNotUsed) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "y", matrix({1, 2}, 2));
  write_file(*files, "x.scp", "a y\n");
  FormatOptions options;
  options.index.mode = IndexMode::rebuild;
  static_cast<void>(Opened(*files, "x.scp", options));
  write_file(*files, "y", matrix({1, 2, 3}, 3));
  options.index.mode = IndexMode::automatic;
  const Opened again(*files, "x.scp", options);
  EXPECT_EQ(again.index->stream().sample_shape, Shape{3});
  ASSERT_EQ(again.index->warnings().size(), 1U);
  EXPECT_EQ(again.index->warnings()[0].code, "kaldi-index-file");
}

}  // namespace
}  // namespace sheaf::kaldi
