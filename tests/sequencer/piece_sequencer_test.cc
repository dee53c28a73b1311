#include "sequencer/piece_sequencer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"
#include "sequencer/window_law.h"
#include "support/error_of.h"

namespace sheaf {
namespace {

using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

/// Returns "0:1[2] ...": chunk, sequence, sample.
std::string frames_of(const Step& step) {
  std::string text;
  for (std::size_t i = 0; i < step.sequences.size(); ++i) {
    EXPECT_EQ(step.slices.at(i).count, 1);
    text += (i == 0 ? "" : " ") +
            std::to_string(static_cast<std::int64_t>(step.sequences[i].chunk)) + ":" +
            std::to_string(step.sequences[i].sequence) + "[" +
            std::to_string(step.slices[i].first) + "]";
  }
  return text;
}

std::unique_ptr<Sequencer> frames(const Sizes& sizes, OrderOptions options) {
  options.split_frames = true;
  return make_sequencer(std::make_shared<MadeUpCounts>(sizes), options);
}

TEST(PieceSequencer, EverySampleIsAFrame) {
  const Sizes sizes = {{2, 0, 3}, {2, 2}};
  const std::vector<testing::WalkedStep> steps = walk(*frames(sizes, {.minibatch_size = 4}));
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(frames_of(steps[0]), "0:0[0] 0:0[1] 0:2[0] 0:2[1]");
  EXPECT_EQ(frames_of(steps[1]), "0:2[2] 1:0[0] 1:0[1] 1:1[0]");
  EXPECT_EQ(frames_of(steps[2]), "1:1[1]");
  EXPECT_EQ(steps[1].sample_count, 4);
  EXPECT_EQ(steps[1].next.sequence, 8) << "a place counts frames";
  EXPECT_TRUE(steps[2].ends_sweep);
}

TEST(PieceSequencer, ASweepInRandomOrderHasEverySampleOnce) {
  const Sizes sizes = {{2, 7, 3}, {4, 4}, {1, 1, 1, 1}, {9}};
  const OrderOptions options{
      .minibatch_size = 5, .algorithm = OrderAlgorithm::cntk, .seed = 3, .window_chunks = 3};
  std::set<std::string> seen;
  std::int64_t count = 0;
  for (const Step& step : walk(*frames(sizes, options))) {
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      Step one;
      one.sequences.push_back(step.sequences[i]);
      one.slices.push_back(step.slices[i]);
      seen.insert(frames_of(one));
      ++count;
    }
  }
  EXPECT_EQ(count, 33);
  EXPECT_EQ(std::ssize(seen), 33);
}

TEST(PieceCounts, LimitUnitsToTheNumberOfPieces) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{2, 0, 3}, {0, 0, 0}, {0, 1, 0}});
  counts->set_chunk(0, {.sequence_count = 3, .sample_count = 5, .unit_count = 3});
  counts->set_chunk(1, {.sequence_count = 3, .sample_count = 0, .unit_count = 2});
  counts->set_chunk(2, {.sequence_count = 3, .sample_count = 1, .unit_count = 3});
  const internal::PieceCounts frames(counts, internal::PieceRule::frames());
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{0}), (ChunkCounts{5, 5, 3}));
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{1}), (ChunkCounts{0, 0, 1}));
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{2}), (ChunkCounts{1, 1, 1}));
  EXPECT_FALSE(frames.chunk_counts(ChunkIndex{3}));
}

TEST(PieceSequencer, FramesAreNamedInThePosition) {
  const auto sequencer = frames({{1}}, {.sweeps = 2});
  EXPECT_EQ(sequencer->algorithm(), "file");
  EXPECT_EQ(sequencer->options().at("split_frames"), "true");
  EXPECT_EQ(sequencer->place_of(1).sweep, 1);
}

/// Cut sequences, with the original sequence of each piece. A piece lies in the chunk of its
/// sequence.
struct CutSizes {
  Sizes sizes;
  std::vector<std::vector<std::pair<std::int64_t, SampleRange>>> origins;  // [chunk][sequence]
};

/// The slow model: cuts the sequences before making the order.
CutSizes cut_beforehand(const Sizes& sizes, LongSequences long_sequences,
                        std::int64_t row_samples) {
  CutSizes cut;
  for (const std::vector<std::int64_t>& chunk : sizes) {
    std::vector<std::int64_t>& lengths = cut.sizes.emplace_back();
    auto& origins = cut.origins.emplace_back();
    for (std::int64_t i = 0; i < std::ssize(chunk); ++i) {
      const std::int64_t length = chunk[static_cast<std::size_t>(i)];
      if (length <= row_samples) {
        lengths.push_back(length);
        origins.push_back({i, {0, SampleRange::kAll}});
        continue;
      }
      if (long_sequences == LongSequences::drop) continue;
      for (std::int64_t first = 0; first < length; first += row_samples) {
        lengths.push_back(std::min(row_samples, length - first));
        origins.push_back({i, {first, lengths.back()}});
        if (long_sequences == LongSequences::truncate) break;
      }
    }
  }
  return cut;
}

Sizes made_up_sizes() {
  const auto length =
      rc::gen::oneOf(testing::any_of<std::int64_t>(0, 4), testing::any_of<std::int64_t>(1, 60));
  const auto chunk =
      rc::gen::nonEmpty(rc::gen::resize(12, rc::gen::container<std::vector<std::int64_t>>(length)));
  return *rc::gen::nonEmpty(rc::gen::resize(8, rc::gen::container<Sizes>(chunk)));
}

/// The steps, or the error.
struct Walked {
  std::vector<testing::WalkedStep> steps;
  std::string error;
};

Walked walked(const Sizes& sizes, const OrderOptions& options) {
  Walked result;
  result.error = testing::error_of<ConfigError>([&] {
    result.steps =
        walk(*make_sequencer(std::make_shared<MadeUpCounts>(sizes), options), {}, 20'000);
  });
  return result;
}

// Any order with any number of workers treats pieces like the sequences of data that somebody had
// cut.
RC_GTEST_PROP(PieceSequencer, OrdersPiecesLikePreCutData, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = testing::made_up_options();
  options.split_frames = false;
  options.truncation_length = {};
  if (options.unit == MinibatchUnit::cost) options.unit = MinibatchUnit::samples;
  options.long_sequences =
      *rc::gen::element(LongSequences::split, LongSequences::truncate, LongSequences::drop);
  options.row_samples = *testing::any_of<std::int64_t>(1, 20);
  const CutSizes cut = cut_beforehand(sizes, options.long_sequences, *options.row_samples);
  const Walked pieces = walked(sizes, options);
  OrderOptions plain = options;
  plain.long_sequences = LongSequences::error;
  const Walked expected = walked(cut.sizes, plain);
  RC_ASSERT(pieces.error == expected.error);
  RC_ASSERT(pieces.steps.size() == expected.steps.size());
  const bool has_slices = options.long_sequences != LongSequences::drop;
  for (std::size_t i = 0; i < pieces.steps.size(); ++i) {
    Step step = expected.steps[i];
    for (SequenceRef& ref : step.sequences) {
      const auto& [sequence, slice] =
          cut.origins[static_cast<std::size_t>(ref.chunk)][static_cast<std::size_t>(ref.sequence)];
      ref.sequence = sequence;
      if (has_slices) step.slices.push_back(slice);
    }
    RC_ASSERT(testing::is_same(pieces.steps[i], step));
    RC_ASSERT(pieces.steps[i].needs_equal_streams == has_slices);
  }
}

TEST(PieceCounts, CountKeptSamplesAndLimitUnits) {
  using internal::PieceRule;
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{4, 9, 0, 12}, {12, 9}, {1, 2}, {4, 4}});
  counts->set_chunk(0, {.sequence_count = 4, .sample_count = 25, .unit_count = 4});
  counts->set_chunk(1, {.sequence_count = 2, .sample_count = 21, .unit_count = 2});
  struct Row {
    LongSequences long_sequences;
    std::vector<ChunkCounts> chunks;
    std::vector<std::vector<std::int64_t>> lengths;
  };
  const std::vector<Row> rows = {
      {LongSequences::split,
       {{8, 25, 4}, {6, 21, 2}, {2, 3, 1}, {2, 8, 1}},
       {{4, 4, 4, 1, 0, 4, 4, 4}, {4, 4, 4, 4, 4, 1}, {1, 2}, {4, 4}}},
      {LongSequences::truncate,
       {{4, 12, 4}, {2, 8, 2}, {2, 3, 1}, {2, 8, 1}},
       {{4, 4, 0, 4}, {4, 4}, {1, 2}, {4, 4}}},
      {LongSequences::drop,
       {{2, 4, 2}, {0, 0, 1}, {2, 3, 1}, {2, 8, 1}},
       {{4, 0}, {}, {1, 2}, {4, 4}}},
  };
  for (const Row& row : rows) {
    const internal::PieceCounts pieces(counts, PieceRule::rows(row.long_sequences, 4));
    // Walks twice, the second time backwards: cached data change nothing.
    for (const std::int64_t at : {0, 1, 2, 3, 3, 2, 1, 0}) {
      const auto i = static_cast<std::size_t>(at);
      const ChunkIndex chunk{at};
      EXPECT_EQ(pieces.chunk_counts(chunk), row.chunks[i]) << to_string(row.long_sequences) << i;
      const SampleCounts lengths = pieces.sample_counts(chunk);
      std::vector<std::int64_t> all;
      for (std::int64_t n = 0; n < lengths.size(); ++n) all.push_back(lengths[n]);
      EXPECT_EQ(all, row.lengths[i]) << to_string(row.long_sequences) << i;
    }
    EXPECT_FALSE(pieces.chunk_counts(ChunkIndex{4}));
  }
}

TEST(PieceCounts, OnlyWholeSequencesHaveCosts) {
  using internal::PieceRule;
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{4, 9, 1}, {2}});
  const internal::PieceCounts split(counts, PieceRule::rows(LongSequences::split, 4));
  EXPECT_EQ(split.cost_measure(), CostMeasure{});
  EXPECT_FALSE(split.costs(ChunkIndex{0}));
  EXPECT_EQ(split.chunk_cost(ChunkIndex{0}), 0);
  const internal::PieceCounts drop(counts, PieceRule::rows(LongSequences::drop, 4));
  EXPECT_EQ(drop.cost_measure().name, "points");
  const std::int64_t first = MadeUpCounts::made_up_cost(0, 0);
  const std::int64_t last = MadeUpCounts::made_up_cost(0, 2);
  ASSERT_EQ(drop.costs(ChunkIndex{0})->size(), 2);
  EXPECT_EQ((*drop.costs(ChunkIndex{0}))[1], last);
  EXPECT_EQ(drop.chunk_cost(ChunkIndex{0}), first + last);
  EXPECT_EQ(drop.chunk_cost(ChunkIndex{1}), MadeUpCounts::made_up_cost(1, 0));
}

TEST(PieceSequencer, PiecesOfRowsAreNamedInThePosition) {
  const OrderOptions options{.long_sequences = LongSequences::split, .row_samples = 4};
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(Sizes{{9}}), options);
  EXPECT_EQ(sequencer->options().at("long"), "split/4");
  OrderOptions plain = options;
  plain.long_sequences = LongSequences::error;
  const auto other = make_sequencer(std::make_shared<MadeUpCounts>(Sizes{{9}}), plain);
  EXPECT_FALSE(other->options().contains("long")) << "a position of sequences has not changed";
  EXPECT_FALSE(other->options().contains("row_samples"));
}

TEST(PieceSequencer, IncompatibleOptionsAreRefused) {
  struct Row {
    OrderOptions options;
    std::string error;
  };
  const std::string both = " exclude each other: ";
  const std::vector<Row> rows = {
      {{.long_sequences = LongSequences::split},
       "long \"split\" needs the length of a row: set row_samples or pad_length, or leave long "
       "out"},
      {{.long_sequences = LongSequences::drop, .row_samples = 0},
       "row_samples must be at least 1: got 0"},
      {{.split_frames = true, .long_sequences = LongSequences::truncate, .row_samples = 1},
       "long \"truncate\" and split_frames" + both +
           "no frame is longer than a row; leave one of them out"},
      {{.long_sequences = LongSequences::drop, .row_samples = 4, .truncation_length = 4},
       "long \"drop\" and truncation_length" + both +
           "both say where sequences are cut; leave one of them out"},
      {{.row_samples = 0}, "none"},
      {{.unit = MinibatchUnit::cost, .long_sequences = LongSequences::drop, .row_samples = 4},
       "none"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(testing::error_of([&] {
                static_cast<void>(
                    make_sequencer(std::make_shared<MadeUpCounts>(Sizes{{9}}), row.options));
              }),
              row.error);
  }
}

// 142,858 pieces of one sequence take the same memory to plan at any place, and no range is held
// twice.
TEST(PieceSequencer, HandlesOneVeryLongSequence) {
  constexpr std::int64_t kLength = 1'000'000;
  for (const std::int64_t row_samples : {std::int64_t{7}, kLength - 1, kLength, kLength + 1}) {
    const std::int64_t count = (kLength - 1) / row_samples + 1;
    OrderOptions options{.minibatch_size = 1000,
                         .unit = MinibatchUnit::sequences,
                         .long_sequences = LongSequences::split,
                         .row_samples = row_samples,
                         .algorithm = OrderAlgorithm::keyed,
                         .window_chunks = 2};
    const auto sequencer =
        make_sequencer(std::make_shared<MadeUpCounts>(Sizes{{3}, {kLength}, {5, 2}}), options);
    std::int64_t samples = 0;
    std::int64_t pieces = 0;
    for (const testing::WalkedStep& step : walk(*sequencer)) {
      EXPECT_LE(step.load.size(), 3U);
      samples += step.sample_count;
      pieces += std::ssize(step.sequences);
    }
    EXPECT_EQ(samples, kLength + 10) << row_samples;
    EXPECT_EQ(pieces, count + 3) << row_samples;
  }
}

}  // namespace
}  // namespace sheaf
