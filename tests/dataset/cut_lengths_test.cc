// The lengths of sequences that an order cuts, through all indexes that a data set may have.

#include "core/cut_lengths.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/join.h"
#include "sheaf/extend/named_data.h"

#include "base/text.h"
#include "dataset/part_data.h"
#include "dataset/transformed_index.h"
#include "format/mlf/mlf_deserializer.h"
#include "support/scoped_unit_size.h"
#include "support/test_sources.h"
#include "support/test_transforms.h"
#include "support/text_data.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kWrong = -1;
using Known = std::vector<std::int64_t>;

/// Returns the length of each sequence, or kWrong. Returns an empty list if an order cuts by the
/// numbers of samples.
Known known_of(const Index& index) {
  const CutLengths* const known = cut_lengths_of(index);
  Known lengths;
  for (ChunkIndex c{}; known != nullptr && index.chunk(c); c = next(c)) {
    for (std::int64_t i = 0; i < index.chunk(c)->sequence_count; ++i) {
      lengths.push_back(cut_length_of(index, known, c, i).value_or(kWrong));
    }
  }
  return lengths;
}

/// Returns labels of four utterances in chunks of one or two. The second one has a gap, and the
/// third one has an error that ends the run of a reader of CNTK.
NamedData gap_labels(Compatibility compatibility) {
  const std::string text =
      "#!MLF!#\n\"1\"\n0 3 s 1\n.\n\"2\"\n0 1 s 1\n2 4 s 1\n.\n"
      "\"3\"\n0 5 s x\n.\n\"4\"\n0 2 s 2\n.\n";
  FormatOptions options;
  options.chunk_size_bytes = 50;
  options.compatibility = compatibility;
  options.keys = KeyType::numeric;
  options.streams = {{.name = "l", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  return {std::make_shared<mlf::MlfDeserializer>(memory_source(text, "l.mlf"), options), "l.mlf"};
}

/// Returns sequences 4, 2 and 1 with 2, 4 and 3 samples.
NamedData few_features() {
  std::string text;
  for (const auto& [key, count] : std::vector<std::pair<int, int>>{{4, 2}, {2, 4}, {1, 3}}) {
    for (int i = 0; i < count; ++i) text += std::to_string(key) + " |x 1\n";
  }
  return testing::ctf("x.ctf", text, testing::with_streams({testing::dense("x")}));
}

TEST(CutLengths, WrongUtterancesHaveNoneForCntk) {
  EXPECT_EQ(known_of(gap_labels(Compatibility::strict).data->index()), Known());
  const NamedData data = gap_labels(Compatibility::cntk);
  ASSERT_TRUE(data.data->index().chunk(ChunkIndex{1})) << "several chunks";
  EXPECT_EQ(known_of(data.data->index()), (Known{3, kWrong, kWrong, 2}));
}

// Steps ask for the utterances in their slots again and again, in any order.
TEST(CutLengths, EachUtteranceIsParsedOnce) {
  const testing::ScopedUnitSize unit(100);
  std::string text = "#!MLF!#\n";
  for (int i = 0; i < 40; ++i) {
    text += formatted("\"{}\"\n{} 5 s 1\n.\n", 100 + i, i % 7 == 3 ? 1 : 0);
  }
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  options.keys = KeyType::numeric;
  options.streams = {{.name = "l", .storage = Storage::sparse, .sample_shape = Shape{3}}};
  const auto source = std::make_shared<testing::WatchedSource>(memory_source(text, "l.mlf"));
  const mlf::MlfDeserializer data(source, options);
  const Index& index = data.index();
  ASSERT_EQ(index.chunk(ChunkIndex{})->sequence_count, 40);
  const CutLengths* const known = cut_lengths_of(index);
  ASSERT_NE(known, nullptr);
  const std::int64_t memory = index.memory_bytes();
  const std::int64_t before = source->bytes_read;
  for (int pass = 0; pass < 3; ++pass) {
    for (std::int64_t i = 0; i < 40; ++i) {
      const std::int64_t number = 11 * i % 40;
      const std::int64_t length =
          cut_length_of(index, known, ChunkIndex{}, number).value_or(kWrong);
      EXPECT_EQ(length, number % 7 == 3 ? kWrong : 5) << number;
    }
  }
  EXPECT_GT(source->bytes_read, before);
  EXPECT_LE(source->bytes_read - before, std::ssize(text));
  EXPECT_GT(index.memory_bytes(), memory);
}

TEST(CutLengths, AJoinHasThoseOfItsMembers) {
  EXPECT_EQ(
      known_of(join(std::vector{few_features(), gap_labels(Compatibility::strict)}, {})->index()),
      Known());
  const auto data = join(std::vector{few_features(), gap_labels(Compatibility::cntk)}, {});
  EXPECT_EQ(known_of(data->index()), (Known{2, kWrong, 3}));
}

TEST(CutLengths, ConcatenatedDataHaveThoseOfTheirMembers) {
  const std::vector members = {gap_labels(Compatibility::cntk), gap_labels(Compatibility::cntk)};
  const auto data = concatenate(members, {.keys = ConcatenatedKeys::number});
  EXPECT_EQ(known_of(data->index()), (Known{3, kWrong, kWrong, 2, 3, kWrong, kWrong, 2}));
}

TEST(CutLengths, APartHasThoseOfItsChunks) {
  const auto whole = gap_labels(Compatibility::cntk).data;
  Known all;
  for (std::int64_t i = 0; i < 3; ++i) {
    const PartData part(whole, {.number = i, .count = 3}, nullptr);
    const Known lengths = known_of(part.index());
    EXPECT_LT(lengths.size(), 4U);
    all.insert(all.end(), lengths.begin(), lengths.end());
  }
  EXPECT_EQ(all, (Known{3, kWrong, kWrong, 2}));
}

TEST(CutLengths, TransformsChangeThem) {
  const auto data = gap_labels(Compatibility::cntk).data;
  const std::vector<TransformSpec> specs = {parse_transform("function:name=halve")};
  const TransformChain chain(data->streams(), specs, {.functions = &testing::test_functions()});
  EXPECT_EQ(known_of(TransformedIndex(data->index(), chain)),
            (Known{chain.sample_count(3), kWrong, kWrong, 1}));
}

// As for an i-vector of CNTK that defines the size and is expanded.
TEST(CutLengths, AStreamMayCountWithoutTellingTheLength) {
  const std::string vectors = "1 |w 1\n2 |w 1\n4 |w 1\n";
  FormatOptions options = testing::with_streams({testing::dense("w")});
  options.streams[0].defines_minibatch_size = true;
  const std::vector members = {few_features(), testing::ctf("w.ctf", vectors, options)};
  const auto data = join(members, {.lengths = Lengths::equal, .length_streams = {"x"}});
  EXPECT_EQ(known_of(data->index()), (Known{2, 4, 3}));
  EXPECT_EQ(data->index().sample_counts(ChunkIndex{})[1], 1);
  EXPECT_EQ(known_of(join(members, {})->index()), Known()) << "no length is compared";
}

}  // namespace
}  // namespace sheaf::internal
