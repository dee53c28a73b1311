#include "sequencer/frame_sequencer.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sequencer/made_up_counts.h"

namespace sheaf {
namespace {

using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

/// "0:1[2] ...": chunk, sequence, sample.
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

TEST(FrameSequencer, EverySampleIsASequenceOfItsOwn) {
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

TEST(FrameSequencer, ASweepInRandomOrderHasEverySampleOnce) {
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

TEST(FrameCounts, HaveAsManyUnitsAsTheirChunksButNoMoreThanFrames) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{2, 0, 3}, {0, 0, 0}, {0, 1, 0}});
  counts->set_chunk(0, {.sequence_count = 3, .sample_count = 5, .unit_count = 3});
  counts->set_chunk(1, {.sequence_count = 3, .sample_count = 0, .unit_count = 2});
  counts->set_chunk(2, {.sequence_count = 3, .sample_count = 1, .unit_count = 3});
  const internal::FrameCounts frames(counts);
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{0}), (ChunkCounts{5, 5, 3}));
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{1}), (ChunkCounts{0, 0, 1}));
  EXPECT_EQ(frames.chunk_counts(ChunkIndex{2}), (ChunkCounts{1, 1, 1}));
  EXPECT_FALSE(frames.chunk_counts(ChunkIndex{3}));
}

TEST(FrameSequencer, IsNamedInThePosition) {
  const auto sequencer = frames({{1}}, {.sweeps = 2});
  EXPECT_EQ(sequencer->algorithm(), "file");
  EXPECT_EQ(sequencer->options().at("split_frames"), "true");
  EXPECT_EQ(sequencer->place_of(1).sweep, 1);
}

}  // namespace
}  // namespace sheaf
