#include "sequencer/pieces.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kAll = SampleRange::kAll;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

SampleCounts counts_of(const std::vector<std::int64_t>& lengths) {
  PackedInts::Builder builder;
  for (const std::int64_t length : lengths) builder.push_back(length);
  return SampleCounts(std::make_shared<const PackedInts>(builder.finish()));
}

TEST(PieceRule, GivesTheNumberAndSamplesOfPieces) {
  struct Row {
    PieceRule rule;
    std::int64_t samples;
    std::int64_t pieces;
    std::int64_t kept;
    SampleRange first;
    SampleRange last;
  };
  const PieceRule frames = PieceRule::frames();
  const PieceRule split = PieceRule::rows(LongSequences::split, 4);
  const PieceRule truncate = PieceRule::rows(LongSequences::truncate, 4);
  const PieceRule drop = PieceRule::rows(LongSequences::drop, 4);
  const PieceRule ones = PieceRule::rows(LongSequences::split, 1);
  const PieceRule most = PieceRule::rows(LongSequences::split, kMost);
  const std::vector<Row> rows = {
      {frames, 0, 0, 0, {}, {}},                      // no frames
      {frames, 1, 1, 1, {0, 1}, {0, 1}},              // a single frame is still a slice
      {frames, 5, 5, 5, {0, 1}, {4, 1}},              //
      {split, 0, 1, 0, {0, kAll}, {0, kAll}},         // one piece without samples
      {split, 3, 1, 3, {0, kAll}, {0, kAll}},         // shorter than row_samples
      {split, 4, 1, 4, {0, kAll}, {0, kAll}},         // as long as row_samples
      {split, 5, 2, 5, {0, 4}, {4, 1}},               // longer
      {split, 8, 2, 8, {0, 4}, {4, 4}},               // two full rows of the layout
      {split, 9, 3, 9, {0, 4}, {8, 1}},               //
      {truncate, 0, 1, 0, {0, kAll}, {0, kAll}},      //
      {truncate, 4, 1, 4, {0, kAll}, {0, kAll}},      //
      {truncate, 5, 1, 4, {0, 4}, {0, 4}},            //
      {drop, 0, 1, 0, {0, kAll}, {0, kAll}},          //
      {drop, 4, 1, 4, {0, kAll}, {0, kAll}},          //
      {drop, 5, 0, 0, {}, {}},                        //
      {ones, 3, 3, 3, {0, 1}, {2, 1}},                // one sample in a row of the layout
      {ones, 1, 1, 1, {0, kAll}, {0, kAll}},          //
      {most, kMost, 1, kMost, {0, kAll}, {0, kAll}},  // nothing overflows
      {split, kMost, kMost / 4 + 1, kMost, {0, 4}, {kMost - 3, 3}},
  };
  for (const Row& row : rows) {
    const std::string what = row.rule.option_text().second + ", " + std::to_string(row.samples);
    ASSERT_EQ(row.rule.count(row.samples), row.pieces) << what;
    EXPECT_EQ(row.rule.kept_samples(row.samples), row.kept) << what;
    if (row.pieces == 0) continue;
    EXPECT_EQ(row.rule.samples(row.samples, 0), row.first) << what;
    EXPECT_EQ(row.rule.samples(row.samples, row.pieces - 1), row.last) << what;
  }
}

TEST(PieceRule, IsNamedInThePosition) {
  using Text = std::pair<std::string, std::string>;
  EXPECT_EQ(PieceRule::frames().option_text(), Text("split_frames", "true"));
  EXPECT_EQ(PieceRule::rows(LongSequences::split, 512).option_text(), Text("long", "split/512"));
  EXPECT_EQ(PieceRule::rows(LongSequences::truncate, 8).option_text(), Text("long", "truncate/8"));
  EXPECT_EQ(PieceRule::rows(LongSequences::drop, 1).option_text(), Text("long", "drop/1"));
}

TEST(PieceRule, ComesFromTheOptions) {
  EXPECT_FALSE(piece_rule({}));
  EXPECT_FALSE(piece_rule({.row_samples = 4})) << "an error is no rule";
  EXPECT_TRUE(piece_rule({.split_frames = true})->is_frames());
  const OrderOptions options{.long_sequences = LongSequences::drop, .row_samples = 4};
  EXPECT_EQ(piece_rule(options)->count(5), 0);
}

// Compares with a list of all pieces.
TEST(Pieces, GiveTheSequenceAndTheSamplesOfEachPiece) {
  const std::vector<std::vector<std::int64_t>> chunks = {
      {},        {0},           {0, 0, 0},    {1, 1, 1},    {3, 3},
      {4, 4, 4}, {5, 5},        {9, 9, 9},    {1, 2, 3, 4}, {1, 2, 3, 4, 5},
      {9, 1, 0}, {0, 0, 12, 0}, {7, 8, 9, 0}, {8, 8, 8, 1}, {1, 100, 1}};
  for (const std::vector<std::int64_t>& lengths : chunks) {
    for (const PieceRule& rule :
         {PieceRule::frames(), PieceRule::rows(LongSequences::split, 4),
          PieceRule::rows(LongSequences::split, 1), PieceRule::rows(LongSequences::truncate, 4),
          PieceRule::rows(LongSequences::drop, 4)}) {
      const Pieces pieces(rule, counts_of(lengths));
      std::int64_t number = 0;
      for (std::int64_t i = 0; i < std::ssize(lengths); ++i) {
        const std::int64_t length = lengths[static_cast<std::size_t>(i)];
        for (std::int64_t piece = 0; piece < rule.count(length); ++piece, ++number) {
          std::int64_t sequence = number;
          const SampleRange samples = pieces.replace(sequence);
          ASSERT_EQ(sequence, i) << rule.option_text().second << ", piece " << number;
          ASSERT_EQ(samples, rule.samples(length, piece))
              << rule.option_text().second << ", piece " << number;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
