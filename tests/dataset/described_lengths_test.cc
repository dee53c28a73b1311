// Streams whose sequences contain the lengths of other streams. Joins compare these lengths.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/join.h"

#include "dataset/cached_data.h"
#include "format/lattice/lattice_test_block.h"
#include "support/cached.h"
#include "support/text_data.h"
#include "support/write_file.h"

namespace sheaf {
namespace {

using lattice::testing::block;
using testing::ctf;
using testing::dense;
using testing::error_of;
using testing::with_streams;
using testing::write_file;

using Texts = std::vector<std::string>;
using FrameCounts = std::vector<std::int64_t>;

/// Lattices that describe lengths in frames, with other data sets. The keys are a, b, c, ...
class DescribedLengthsTest : public ::testing::Test {
 protected:
  static std::string key(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

  [[nodiscard]] NamedData lattices(const FrameCounts& frames, const std::string& as = "bytes") {
    std::string table;
    std::string archive;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      table +=
          key(i) + '=' + (i == 0 ? "l.lat" : "") + '[' + std::to_string(archive.size()) + "]\n";
      archive += block({.frames = static_cast<std::uint64_t>(frames[i])});
    }
    write_file(*files_, "l.lat", archive);
    write_file(*files_, "l.toc", table);
    FormatOptions options{.keys = KeyType::text};
    options.extra["lattice.as"] = as;
    return {.data = conformance::format_named("lattice").open({.source = files_->open("l.toc"),
                                                               .options = options,
                                                               .context = {.files = files_.get()}}),
            .name = "l.toc"};
  }

  static NamedData samples(const FrameCounts& counts, const std::string& stream = "x") {
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (std::int64_t t = 0; t < counts[i]; ++t) {
        text += key(i) + " |" + stream + " " + std::to_string(t) + "\n";
      }
    }
    FormatOptions options = with_streams({dense(stream)});
    options.keys = KeyType::text;
    return ctf(stream + ".ctf", text, options);
  }

  /// Returns members from files.
  template <typename... Files>
  static std::vector<NamedData> members(Files... files) {
    std::vector<NamedData> all;
    (all.push_back(std::move(files)), ...);
    return all;
  }

  /// Returns the number of samples of the first stream in each sequence, or -1 for a hole. Reads
  /// each sequence alone, and then all together.
  static FrameCounts delivered(const Deserializer& data, Texts& wrong) {
    const std::int64_t count = data.index().chunk(ChunkIndex{})->sequence_count;
    FrameCounts counts;
    for (std::int64_t i = 0; i < count; ++i) {
      Diagnostics diagnostics;
      const Chunk chunk = data.read({ChunkIndex{}, i, 1}, diagnostics);
      counts.push_back(chunk.is_hole(0) ? -1 : chunk.view(0, 0).sample_count);
      for (const Diagnostic& each : diagnostics.described()) {
        const std::string text = to_string(each);
        wrong.push_back(text.substr(0, text.find('\n')));
      }
    }
    Diagnostics diagnostics;
    const Chunk whole = data.read({ChunkIndex{}, 0, count}, diagnostics);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(whole.is_hole(i) ? -1 : whole.view(0, i).sample_count,
                counts[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(diagnostics.error_count(), std::ssize(wrong));
    return counts;
  }

  std::unique_ptr<FileSystem> files_ = memory_files();
};

TEST_F(DescribedLengthsTest, DifferingLengthsAreErrors) {
  for (const char* const as : {"bytes", "f32"}) {
    const auto data = join(members(samples({3, 2, 4, 1}), lattices({3, 3, 3, 1}, as)),
                           {.lengths = Lengths::equal});
    Texts wrong;
    EXPECT_EQ(delivered(*data, wrong), (FrameCounts{3, -1, -1, 1})) << as;
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[0],
              "l.lat: byte 106: error: stream \"lattice\": expected sequence b to be of "
              "2 samples, as x.ctf has, found 3, as the sequence itself says [join-length]");
    EXPECT_NE(wrong[1].find("to be of 4 samples, as x.ctf has, found 3"), std::string::npos);
  }
}

TEST_F(DescribedLengthsTest, TheIndexCountsTheOtherStreams) {
  const auto data =
      join(members(samples({3, 2}), lattices({3, 2}, "f32")), {.lengths = Lengths::equal});
  const auto table = data->index().sequences(ChunkIndex{});
  EXPECT_EQ(table->sample_count(0), 3);
  EXPECT_EQ(table->sample_count(1), 2);
}

TEST_F(DescribedLengthsTest, OnlyNamedStreamsAreCompared) {
  Texts wrong;
  EXPECT_EQ(delivered(*join(members(samples({3, 2}), lattices({9, 9}))), wrong),
            (FrameCounts{3, 2}));
  EXPECT_EQ(delivered(*join(members(samples({3, 2}), samples({3, 2}, "y"), lattices({9, 9})),
                            {.lengths = Lengths::equal, .length_streams = {"x", "y"}}),
                      wrong),
            (FrameCounts{3, 2}));
  EXPECT_EQ(delivered(*join(members(samples({3, 2}), samples({1, 1}, "y"), lattices({3, 1})),
                            {.lengths = Lengths::equal, .length_streams = {"x", "lattice"}}),
                      wrong),
            (FrameCounts{3, -1}));
}

// The common length of the other streams is compared with the lattice. Streams are not cut to the
// length of the lattice, because it is unknown until the lattice is read.
TEST_F(DescribedLengthsTest, ToleranceAppliesInBothDirections) {
  Texts wrong;
  EXPECT_EQ(delivered(*join(members(samples({5, 5, 5, 5}), samples({4, 4, 4, 4}, "y"),
                                    lattices({2, 3, 5, 6})),
                            {.lengths = Lengths::equal, .length_tolerance = 1}),
                      wrong),
            (FrameCounts{-1, 4, 4, -1}));
  ASSERT_EQ(wrong.size(), 2U);
  EXPECT_NE(wrong[0].find("to be of 4 samples, as y.ctf has, or at most 1 more or fewer, found 2"),
            std::string::npos)
      << wrong[0];
}

TEST_F(DescribedLengthsTest, PrimaryLengthsAreRequired) {
  Texts wrong;
  EXPECT_EQ(
      delivered(*join(members(samples({3, 3, 3}), samples({4, 4, 4}, "y"), lattices({2, 3, 4})),
                      {.lengths = Lengths::primary}),
                wrong),
      (FrameCounts{-1, 3, -1}));
  EXPECT_EQ(wrong.size(), 2U);
  EXPECT_EQ(error_of<ConfigError>([&] {
              static_cast<void>(
                  join(members(lattices({3}), samples({3})), {.lengths = Lengths::primary}));
            }),
            "lengths: how long the sequences of l.toc are is not known before they are read; with "
            "`primary`, another file must be the primary");
}

TEST_F(DescribedLengthsTest, LatticesMayBeThePrimaryOfEqualLengths) {
  Texts wrong;
  const auto data = join(members(lattices({3, 3}), samples({3, 2})), {.lengths = Lengths::equal});
  EXPECT_EQ(delivered(*data, wrong), (FrameCounts{1, -1}));
  EXPECT_EQ(data->index().sequences(ChunkIndex{})->sample_count(0), 3);
}

// The order of the members differs from the primary's, so sequences are picked one by one.
TEST_F(DescribedLengthsTest, MembersMayHaveAnyOrder) {
  FormatOptions options = with_streams({dense("x")});
  options.keys = KeyType::text;
  const auto data =
      join(members(ctf("x.ctf", "c |x 1\na |x 1\na |x 1\nb |x 1\n", options), lattices({2, 7, 1})),
           {.lengths = Lengths::equal});
  Texts wrong;
  EXPECT_EQ(delivered(*data, wrong), (FrameCounts{1, 2, -1}));
}

TEST_F(DescribedLengthsTest, ACacheIsNotUsedAndSaysSo) {
  const NamedData data = lattices({3, 2});
  const auto files = memory_files();
  const std::shared_ptr<const Deserializer> cached = internal::with_cache(
      data.data, {}, {.folder = testing::kCacheFolder}, *files, std::int64_t{1} << 20);
  Texts wrong;
  EXPECT_EQ(delivered(*cached, wrong), delivered(*data.data, wrong));
  EXPECT_TRUE(wrong.empty());
  EXPECT_TRUE(testing::unit_paths(*files).empty());
  EXPECT_EQ(cached->index().memory_bytes(), data.data->index().memory_bytes());
  ASSERT_EQ(cached->warnings().size(), 1U);
  EXPECT_EQ(cached->warnings()[0].code, "cache-stream");
  EXPECT_EQ(cached->warnings()[0].stream, "lattice");
}

}  // namespace
}  // namespace sheaf
