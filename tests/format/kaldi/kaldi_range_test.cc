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

TEST(KaldiRange, AnyRangeEqualsThatPartOfTheChunk) {
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

// An object that changed since it was indexed is a hole, and its neighbours are delivered.
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

// The index does not know the size of an object with an error.
TEST(KaldiRange, ErrorsDeepInsideAnObjectAreReported) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string wrong;
  internal::encode_posterior(std::vector<float>(100, 1), std::vector<std::int32_t>(100, 3),
                             std::vector<std::int64_t>(100, 1), wrong);
  wrong[7 + 15 * 90] = 5;  // the mark before the count of frame 90
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

TEST(KaldiRange, AnArchiveMayEndAfterAKey) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "x.ark", "a 1\nb ");
  std::vector<std::string> codes;
  EXPECT_EQ(told(*files, "x.ark", options_with(), &codes), "a: 1\nb hole\n");
  EXPECT_EQ(codes, std::vector<std::string>{"byte 6 kaldi-cut"});
}

TEST(KaldiRange, HolesLeaveNoGapBetweenValues) {
  const std::unique_ptr<FileSystem> files = memory_files();
  std::string wrong;  // the second of these integers has a wrong mark
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

// The values of a column made from a whole file, and how they were read.
struct FileColumn {
  std::string told;
  bool is_in_place = false;
  std::int64_t value_bytes = 0;
};

FileColumn column_of(FileSystem& files, const std::string& path) {
  const auto data =
      open_kaldi({.source = files.open(path), .options = options_with(), .context = {&files}});
  Diagnostics diagnostics(100);
  const Chunk chunk = data->read({ChunkIndex{}, 0, 1000}, diagnostics);
  return {.told = told(*data),
          .is_in_place = !chunk.columns()[0].value_byte_offsets.empty(),
          .value_bytes = chunk.columns()[0].values.size_bytes()};
}

// Matrices are delivered from the bytes that were read, regardless of what lies between them.
TEST(KaldiRange, StoredMatricesAreNotCopied) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string a = matrix(std::vector<float>(256, 1), 64);
  const std::string b = matrix(std::vector<float>(320, 2), 64);
  write_file(*files, "x.ark", "a " + a + "b " + b);
  const FileColumn archive = column_of(*files, "x.ark");
  EXPECT_TRUE(archive.is_in_place);
  EXPECT_EQ(archive.value_bytes, std::ssize(a) + std::ssize(b) + 4);
  const std::string locations[] = {"x.ark:2", "x.ark:" + std::to_string(4 + std::ssize(a))};
  write_file(*files, "x.scp", "a " + locations[0] + "\nb " + locations[1] + "\n");
  const FileColumn list = column_of(*files, "x.scp");
  EXPECT_TRUE(list.is_in_place);
  EXPECT_EQ(list.told, archive.told);
  EXPECT_EQ(list.value_bytes, std::ssize(a) + std::ssize(b) + 2) << "a key lies between them";
  // In another order, twice, from another file, and after a hole.
  write_file(*files, "y", a);
  write_file(*files, "y.scp",
             "b " + locations[1] + "\nnone nowhere\na " + locations[0] + "\na2 " + locations[0] +
                 "\ny y\n");
  const FileColumn mixed = column_of(*files, "y.scp");
  EXPECT_TRUE(mixed.is_in_place);
  const std::size_t second = archive.told.find("b: ");
  const std::string told_a = archive.told.substr(1, second - 1);
  EXPECT_EQ(mixed.told,
            archive.told.substr(second) + "none hole\na" + told_a + "a2" + told_a + "y" + told_a);
}

TEST(KaldiRange, PartsAreDecoded) {
  const std::unique_ptr<FileSystem> files = memory_files();
  write_file(*files, "y", matrix(std::vector<float>(256, 1), 64));
  write_file(*files, "x.scp", "a y\nb y[1:1]\n");
  EXPECT_FALSE(column_of(*files, "x.scp").is_in_place);
}

// A gap of up to 512 bytes between two objects is read with the objects.
TEST(KaldiRange, SmallGapsAreReadWithTheObjects) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::string a = matrix(std::vector<float>(4096, 1), 64);
  const std::string b = matrix(std::vector<float>(4096, 2), 64);
  for (const std::int64_t gap : {0, 1, 511, 512, 513}) {
    write_file(*files, "x", a + std::string(static_cast<std::size_t>(gap), '-') + b);
    write_file(*files, "x.scp", "a x:0\nb x:" + std::to_string(std::ssize(a) + gap) + "\n");
    const FileColumn column = column_of(*files, "x.scp");
    EXPECT_TRUE(column.is_in_place) << gap;
    EXPECT_EQ(column.value_bytes, std::ssize(a) + std::ssize(b) + (gap <= 512 ? gap : 0)) << gap;
    write_file(*files, "y.scp", "b x:" + std::to_string(std::ssize(a) + gap) + "\n");
    EXPECT_TRUE(column.told.ends_with(column_of(*files, "y.scp").told)) << gap;
  }
}

// If more than an eighth of the bytes read are not values, the values are copied together.
TEST(KaldiRange, SmallMatricesAreDecoded) {
  const std::unique_ptr<FileSystem> files = memory_files();
  for (const auto& [key_size, is_in_place] : {std::pair(17, true), std::pair(18, false)}) {
    const std::string key(static_cast<std::size_t>(key_size) - 1, 'k');
    write_file(*files, "x.ark", key + " " + matrix(std::vector<float>(64, 1), 8));
    const FileColumn column = column_of(*files, "x.ark");
    EXPECT_EQ(column.is_in_place, is_in_place) << key_size;
    EXPECT_EQ(column.value_bytes, is_in_place ? key_size + 15 + 256 : 256);
  }
}

// The size in the index does not determine the type of an object.
TEST(KaldiRange, AnObjectOfMatrixSizeIsStillDecoded) {
  const std::unique_ptr<FileSystem> files = memory_files();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 40, 50, 60, 70, 80, 90};
  std::string compressed;
  ASSERT_TRUE(
      internal::encode_compressed(values, 3, 6, internal::KaldiMethod::speech_feature, compressed));
  ASSERT_EQ(compressed.size(), matrix(values, 6).size());
  const std::string large = matrix(std::vector<float>(6000, 7), 6);
  write_file(*files, "y", compressed);
  write_file(*files, "x.ark", "l " + large + "c " + compressed + "m " + matrix(values, 6));
  const FileColumn column = column_of(*files, "x.ark");
  EXPECT_TRUE(column.is_in_place);
  write_file(*files, "z.ark", "c " + compressed);
  const FileColumn alone = column_of(*files, "z.ark");
  EXPECT_FALSE(alone.is_in_place);
  const std::size_t begin = column.told.find("\nc: ") + 1;
  EXPECT_EQ(column.told.substr(begin, column.told.find("\nm: ") + 1 - begin), alone.told);
  EXPECT_NE(column.told.find("m: 1 2 3 4 5 6|7 8 9 1 2 3|40 50 60 70 80 90\n"), std::string::npos);
}

}  // namespace
}  // namespace sheaf::kaldi
