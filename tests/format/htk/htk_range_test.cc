#include "format/htk/htk_range.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/file_system.h"

#include "format/htk/htk_deserializer.h"
#include "format/htk/htk_test_file.h"
#include "format/listed/file_pieces.h"
#include "support/error_of.h"
#include "support/latent_files.h"
#include "support/write_file.h"

namespace sheaf::htk {
namespace {

using sheaf::testing::write_file;

constexpr std::int64_t kDim = 3;
constexpr std::int64_t kFrames =
    40'000;  // 480 KB: the distance between ranges exceeds the gaps that are read

std::vector<float> values_of(std::int64_t first, std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = first * kDim; i < (first + count) * kDim; ++i) {
    values.push_back(static_cast<float>(i) + 0.25F);
  }
  return values;
}

std::vector<float> values_of(const Chunk& chunk, std::int64_t sequence) {
  const SequenceView view = chunk.view(0, sequence);
  std::vector<float> values(static_cast<std::size_t>(view.value_count));
  if (!values.empty()) std::memcpy(values.data(), view.values, values.size() * sizeof(float));
  return values;
}

class HtkRangeTest : public ::testing::TestWithParam<bool> {
 protected:
  HtkRangeTest() {
    write_file(*files_, "a.htk",
               testing::file(values_of(0, kFrames), kDim, {.is_big_endian = GetParam()}));
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

// Utterances in file order, in another order, close together, far apart, overlapping and repeated,
// with all read sizes.
TEST_P(HtkRangeTest, UtterancesAnywhereInAFileAreRead) {
  const std::vector<std::vector<std::int64_t>> ranges = {
      {0, 99},   {100, 150}, {151, 151}, {39'000, 39'999}, {20'000, 20'100},
      {50, 120}, {50, 120},  {0, 0},     {30'000, 39'998}, {39'999, 39'999}};
  std::string list;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    list += "u" + std::to_string(i) + "=a.htk[" + std::to_string(ranges[i][0]) + "," +
            std::to_string(ranges[i][1]) + "]\n";
  }
  write_file(*files_, "a.scp", list);
  for (const std::int64_t read_size : {7, 4096, 1 << 20}) {
    FormatOptions options;
    options.read_size_bytes = read_size;
    const HtkDeserializer data(files_->open("a.scp"), options, Context{.files = files_.get()});
    const auto count = std::ssize(ranges);
    for (std::int64_t first = 0; first < count; ++first) {
      Diagnostics diagnostics;
      const Chunk chunk =
          data.read({.chunk = ChunkIndex{}, .first = first, .count = count - first}, diagnostics);
      for (std::int64_t i = first; i < count; ++i) {
        const auto& range = ranges[static_cast<std::size_t>(i)];
        ASSERT_EQ(values_of(chunk, i - first), values_of(range[0], range[1] - range[0] + 1))
            << "utterance " << i << " from " << first << ", reads of " << read_size;
      }
    }
  }
}

// Tests one frame less than a size, the size, and one frame more. The sizes are those of gaps that
// are read, of runs that are read together, and of the bytes in flight.
TEST_P(HtkRangeTest, UtterancesMayEndAtReadBoundaries) {
  constexpr std::int64_t kFrameSize = kDim * std::int64_t{sizeof(float)};
  constexpr std::int64_t kRunFrames = (std::int64_t{8} << 20) / kFrameSize;     // kRunBytesMax
  constexpr std::int64_t kBatchFrames = (std::int64_t{16} << 20) / kFrameSize;  // kBatchBytesMax
  constexpr std::int64_t kGapFrames = internal::kPieceGapMax / kFrameSize;
  const std::vector<float> values = values_of(0, 3 * kRunFrames);
  write_file(*files_, "l.htk", testing::file(values, kDim, {.is_big_endian = GetParam()}));
  const auto check = [&](const std::vector<std::pair<std::int64_t, std::int64_t>>& ranges) {
    std::string list;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      list += std::to_string(i) + "=l.htk[" + std::to_string(ranges[i].first) + "," +
              std::to_string(ranges[i].first + ranges[i].second - 1) + "]\n";
    }
    write_file(*files_, "l.scp", list);
    FormatOptions options;
    options.groups_chunks = true;
    options.chunk_size_bytes = std::int64_t{1} << 30;  // one chunk
    const HtkDeserializer data(files_->open("l.scp"), options, Context{.files = files_.get()});
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = ChunkIndex{}, .first = 0, .count = 9}, diagnostics);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto begin = values.begin() + ranges[i].first * kDim;
      ASSERT_EQ(values_of(chunk, static_cast<std::int64_t>(i)),
                std::vector<float>(begin, begin + ranges[i].second * kDim));
    }
  };
  for (const std::int64_t more : {-1, 0, 1, 2}) {
    check({{0, 10}, {10 + kGapFrames + more, 10}});
    check({{0, kRunFrames + more}, {kRunFrames + more, 5}});
    check({{0, 7}, {7, kRunFrames - 7 + more}, {kRunFrames + more + 3, 5}});
    check({{0, kRunFrames}, {kRunFrames, kBatchFrames - kRunFrames + more}, {5, 5}});
  }
}

TEST_P(HtkRangeTest, AHoleDoesNotShiftOtherValues) {
  std::string bytes =
      testing::file({1, 2, 3, 4, 5, 6}, kDim, {.kind = 9 | 010000, .is_big_endian = GetParam()});
  testing::append_checksum(bytes, GetParam());
  bytes[20] ^= 0x10;
  write_file(*files_, "wrong.htk", bytes);
  write_file(*files_, "a.scp", "a=a.htk[0,1]\nw=wrong.htk[0,1]\nb=a.htk[7,8]\nn=none.htk[0,3]\n");
  const HtkDeserializer data(files_->open("a.scp"), {}, Context{.files = files_.get()});
  Diagnostics diagnostics;
  const Chunk chunk = data.read({.chunk = ChunkIndex{}, .first = 0, .count = 4}, diagnostics);
  EXPECT_EQ(values_of(chunk, 0), values_of(0, 2));
  EXPECT_TRUE(chunk.is_hole(1));
  EXPECT_EQ(values_of(chunk, 2), values_of(7, 2));
  EXPECT_TRUE(chunk.is_hole(3));
  EXPECT_EQ(diagnostics.described().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, HtkRangeTest, ::testing::Bool());

/// Utterances of one frame, each in its own file that is far away.
class HtkManyFilesTest : public ::testing::Test {
 protected:
  static constexpr int kCount = 40;

  void write_files(bool are_compressed) {
    std::string list;
    for (int i = 0; i < kCount; ++i) {
      std::string bytes;
      if (are_compressed) {
        bytes = testing::header({.samples = 5, .frame_size = 2, .kind = 9 | 02000});
        testing::append_float(bytes, 2);
        testing::append_float(bytes, static_cast<float>(i));
        testing::append_number(bytes, 10, 2, true);  // (10 + i) / 2
      } else {
        bytes = testing::file({static_cast<float>(10 + i) / 2}, 1);
      }
      write_file(*memory_, path(i), bytes);
      list += "u" + std::to_string(i) + "=" + path(i) + "[0,0]\n";
    }
    write_file(*memory_, "a.scp", list);
  }

  static std::string path(int i) { return std::to_string(i) + ".htk"; }

  [[nodiscard]] HtkDeserializer open() {
    return HtkDeserializer(memory_->open("a.scp"), {}, Context{.files = &files_});
  }

  [[nodiscard]] static Chunk read_all(const HtkDeserializer& data) {
    Diagnostics diagnostics;
    return data.read({.chunk = ChunkIndex{}, .first = 0, .count = kCount}, diagnostics);
  }

  std::unique_ptr<FileSystem> memory_ = memory_files();
  sheaf::testing::LatentFiles files_{*memory_};
};

TEST_F(HtkManyFilesTest, ReadsOfManyFilesOverlap) {
  for (const bool are_compressed : {false, true}) {
    write_files(are_compressed);
    const HtkDeserializer data = open();
    files_.clock = {};
    const Chunk chunk = read_all(data);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(values_of(chunk, i), (std::vector<float>{static_cast<float>(10 + i) / 2})) << i;
    }
    // The rounds read the headers, the scales of compressed values, and the frames.
    const std::int64_t rounds = are_compressed ? 3 : 2;
    EXPECT_EQ(files_.clock.now, rounds * sheaf::testing::LatentClock::kLatency);
    EXPECT_EQ(files_.clock.in_flight_max, kCount);
  }
}

TEST_F(HtkManyFilesTest, TheErrorOfTheFirstListedFileIsThrown) {
  const auto error = [&] {
    const HtkDeserializer data = open();
    return sheaf::testing::error_of<IoError>([&] { static_cast<void>(read_all(data)); });
  };
  write_files(false);
  files_.failing = {path(7), path(31)};
  EXPECT_EQ(error(), "7.htk: is not reached");
  files_.unopenable = {path(9)};
  EXPECT_EQ(error(), "7.htk: is not reached");
  files_.unopenable = {path(5), path(9)};
  EXPECT_EQ(error(), "5.htk: cannot be opened");
}

}  // namespace
}  // namespace sheaf::htk
