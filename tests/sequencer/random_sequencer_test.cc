#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/golden.h"

namespace sheaf {
namespace {

using testing::golden_lines;
using testing::golden_run;
using testing::GoldenRun;
using testing::MadeUpCounts;
using testing::Sizes;

/// Returns a minibatch as the golden files write it, without its number.
std::string to_text(const Step& step, const Sizes& table, std::int64_t sweep_samples) {
  std::string text = "pos " + std::to_string(step.next.sweep * sweep_samples + step.next.sample) +
                     " eos " + (step.ends_sweep ? "1" : "0") + " eoe " +
                     (step.ends_epoch ? "1" : "0") + " :";
  for (const SequenceRef& sequence : step.sequences) {
    text += " " + std::to_string(testing::sequence_number(table, sequence));
  }
  return text;
}

std::int64_t sum_of_samples(const Sizes& table) {
  std::int64_t sum = 0;
  for (const auto& chunk : table) {
    for (const std::int64_t size : chunk) sum += size;
  }
  return sum;
}

/// Compares every run of a file. Returns how many minibatches were compared.
int expect_golden(const std::string& file) {
  int compared = 0;
  const auto lines = golden_lines(file);
  std::unique_ptr<Sequencer> sequencer;
  std::optional<testing::Stepper> stepper;
  Place place;
  for (std::size_t i = 0; i < lines.size();) {
    const std::string head = lines[i].back();
    const GoldenRun run = golden_run(lines[i++]);
    const std::int64_t sweep_samples = sum_of_samples(run.table);
    if (head == "0") {  // the first epoch of an object; the next runs continue it
      sequencer = make_sequencer(std::make_shared<MadeUpCounts>(run.table), run.options);
      stepper.emplace(*sequencer);
      place = {};
    }
    EXPECT_EQ(place.epoch, std::stoll(head));
    // CNTK says that a worker without a chunk starts at the end of its epoch.
    if (run.options.worker_index < std::ssize(run.table)) {
      EXPECT_EQ(lines[i].at(1), std::to_string(place.sweep * sweep_samples + place.sample))
          << "start, line " << i + 1;
    }
    ++i;
    for (; i < lines.size() && lines[i][0] == "mb"; ++i, ++compared) {
      std::string expected;
      for (std::size_t w = 2; w < lines[i].size(); ++w) expected += lines[i][w] + " ";
      expected.pop_back();
      const std::optional<Step> step = stepper->step(place);
      if (!step) {
        ADD_FAILURE() << file << ", line " << i + 1 << ": the run is over, expected " << expected;
        return compared;
      }
      EXPECT_EQ(to_text(*step, run.table, sweep_samples), expected) << file << ", line " << i + 1;
      place = step->next;
    }
    while (place.epoch == std::stoll(head))
      place = stepper->step(place)->next;  // skips the steps that the file
                                           // does not list
  }
  return compared;
}

TEST(CntkGolden, MinibatchesOfOneWorkerMatchCntk) {
  EXPECT_EQ(expect_golden("05_minibatches.txt"), 457);
}

TEST(CntkGolden, MinibatchesOfSeveralWorkersMatchCntk) {
  EXPECT_EQ(expect_golden("06_workers.txt"), 489);
}

TEST(CntkGolden, MinibatchesInFileOrderMatchCntk) {
  EXPECT_EQ(expect_golden("07_no_randomization.txt"), 285);
}

TEST(CntkGolden, PlacesMatchCntk) {
  int compared = 0;
  for (const std::vector<std::string>& words : golden_lines("08_restart.txt")) {
    OrderOptions options{.minibatch_size = 1, .sweeps = {}};
    if (words[0] == "block-chunks3-seed0") {
      options.algorithm = OrderAlgorithm::cntk;
      options.window_chunks = 3;
    } else if (words[0] == "block-samples20-seed5") {
      options.algorithm = OrderAlgorithm::cntk;
      options.window_samples = 20;
      options.seed = 5;
    } else {
      ASSERT_EQ(words[0], "none");
    }
    const Sizes table = testing::golden_table("R");
    const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table), options);
    const Place place = sequencer->place_of(std::stoll(words[1]));
    EXPECT_EQ(place.sweep * 61 + place.sample, std::stoll(words[3])) << words[0] << words[1];
    const std::optional<Step> step = testing::step_of(*sequencer, place);
    ASSERT_TRUE(step);
    EXPECT_EQ(testing::sequence_number(table, step->sequences.at(0)), std::stoll(words[4]));
    ++compared;
  }
  EXPECT_EQ(compared, 366);
}

}  // namespace
}  // namespace sheaf
