#include "format/kaldi/kaldi_range.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/file_system.h"

#include "format/kaldi/kaldi_test_files.h"
#include "support/write_file.h"

namespace sheaf::kaldi {
namespace {

using sheaf::testing::write_file;
using testing::matrix;
using testing::options_with;
using testing::told;

TEST(KaldiRange, AnyRangeIsThatPartOfTheChunk) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string archive;
  for (int i = 0; i < 6; ++i) {
    archive += "k" + std::to_string(i) + " " +
               matrix(std::vector<float>(static_cast<std::size_t>(i), static_cast<float>(i)), 1);
  }
  write_file(*files, "x.ark", archive);
  FormatOptions options = options_with();
  options.streams = {{.name = "x", .sample_shape = Shape{1}, .dtype = ElementType::f32}};
  const auto data =
      open_kaldi({.source = files->open("x.ark"), .options = options, .context = {files.get()}});
  const conformance::ReferenceResult all = conformance::read_all(*data);
  ASSERT_EQ(all.sequences.size(), 6U);
  for (std::int64_t first = 0; first < 6; ++first) {
    for (std::int64_t count = 1; first + count <= 6; ++count) {
      const auto part = conformance::read_range(*data, {ChunkIndex{}, first, count});
      ASSERT_EQ(std::ssize(part.sequences), count);
      for (std::int64_t i = 0; i < count; ++i) {
        EXPECT_EQ(part.sequences[static_cast<std::size_t>(i)],
                  all.sequences[static_cast<std::size_t>(first + i)]);
      }
    }
  }
}

// An object that has changed since the index was made is a hole, and its neighbours stay.
TEST(KaldiRange, ChangedObjectsAreHoles) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "a", matrix({1, 2}, 1));
  write_file(*files, "b", matrix({3, 4}, 1));
  write_file(*files, "c", matrix({5, 6}, 1));
  write_file(*files, "x.scp", "a a\nb b\nc c\n");
  FormatOptions options = options_with();
  options.index.mode = IndexMode::rebuild;
  EXPECT_EQ(told(*files, "x.scp", options), "a: 1|2\nb: 3|4\nc: 5|6\n");
  options.index.mode = IndexMode::require;
  for (const std::vector<float>& other : {std::vector<float>{7}, std::vector<float>{7, 8, 9}}) {
    write_file(*files, "b", matrix(other, 1));
    std::vector<std::string> codes;
    EXPECT_EQ(told(*files, "x.scp", options, &codes), "a: 1|2\nb hole\nc: 5|6\n");
    EXPECT_EQ(codes, std::vector<std::string>{"byte 0 kaldi-changed"});
  }
}

// The index does not know the size of an object with a fault.
TEST(KaldiRange, FaultsFarInsideAnObjectAreTold) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string wrong;
  internal::encode_posterior(std::vector<float>(100, 1), std::vector<std::int32_t>(100, 3),
                             std::vector<std::int64_t>(100, 1), wrong);
  wrong[7 + 15 * 90] = 5;  // the mark of the count of frame 90
  write_file(*files, "x.ark", "a " + wrong + "b 1\n");
  write_file(*files, "x.scp", "a x.ark:2\nb none\n");
  FormatOptions options = options_with("posteriors");
  options.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{5}}};
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.ark", options, &codes), "a hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 1359 fatal kaldi-mark"});
  EXPECT_EQ(told(*files, "x.scp", options, &codes), "a hole\nb hole\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"byte 1359 kaldi-mark", "2:3 kaldi-missing-file"}));
}

TEST(KaldiRange, AnArchiveMayEndBehindAKey) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a 1\nb ");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes), "a: 1\nb hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 6 kaldi-cut"});
}

TEST(KaldiRange, HolesTakeNoPlaceAmongTheValues) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string wrong;  // integers whose second number has a wrong mark
  internal::encode_integers(std::vector<std::int32_t>{1, 2, 3}, wrong);
  wrong[12] = 5;
  write_file(*files, "x.ark", "a 1 2\nb " + wrong + "c 3 4\nd " + wrong + "e 5\n");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes),
            "a: 1|2\nb hole\nc: 3|4\nd hole\ne: 5\n");
  EXPECT_EQ(codes, (std::vector<std::string>{"byte 20 kaldi-mark", "byte 50 kaldi-mark"}));
  FormatOptions lists = options_with("one_hot");
  lists.streams = {{.name = "x", .storage = Storage::sparse, .sample_shape = Shape{5}}};
  EXPECT_EQ(told(*files, "x.ark", lists), "a: 1:1|2:1\nb hole\nc: 3:1|4:1\nd hole\ne hole\n")
      << "5 is no class";
}

}  // namespace
}  // namespace sheaf::kaldi
