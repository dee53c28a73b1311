#include "sequencer/truncated_sequencer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "core/cut_lengths.h"
#include "sequencer/golden.h"

namespace sheaf {
namespace {

using testing::golden_lines;
using testing::MadeUpCounts;
using testing::Sizes;

/// Returns all sequences of a table as one chunk. The value of sample k of sequence i is i + k /
/// 100.
Chunk chunk_of(const Sizes& table, const std::vector<Stream>& streams) {
  Column column;
  column.sequence_offsets.push_back(std::int64_t{0});
  std::int64_t sequence = 0;
  std::int64_t samples = 0;
  for (const std::vector<std::int64_t>& sizes : table) {
    for (const std::int64_t size : sizes) {
      for (std::int64_t k = 0; k < size; ++k) {
        column.values.push_back(static_cast<float>(sequence) + static_cast<float>(k) / 100);
      }
      column.sequence_offsets.push_back(samples += size);
      ++sequence;
    }
  }
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  return {streams, sequence, std::move(columns)};
}

std::string layout_line(const Minibatch& minibatch) {
  const StreamBatch& batch = minibatch.batch(0);
  std::vector<std::int64_t> used(static_cast<std::size_t>(batch.slot_count));
  std::string text = fmt::format("layout S {} T {} cols {} samples {} :", batch.slot_count,
                                 batch.sample_count_max, batch.row_count(), batch.sample_count);
  std::vector<std::string> gaps(used.size());
  for (std::size_t i = 0; i < minibatch.slices().size(); ++i) {
    const std::int64_t slot = batch.slots.as<std::int64_t>()[i];
    const SequenceSlice& slice = minibatch.slices()[i];
    const std::int64_t begin = batch.begins.as<std::int64_t>()[i];
    text += fmt::format(" (seq{} s{} {}..{})", i, slot, begin - slice.first,
                        begin - slice.first + slice.sequence_sample_count);
    used[static_cast<std::size_t>(slot)] = begin + slice.count;
    // The file lists the gap of a slot after its sequences.
    const bool is_last =
        i + 1 == minibatch.slices().size() || batch.slots.as<std::int64_t>()[i + 1] != slot;
    const std::int64_t next = i + 1 == minibatch.slices().size()
                                  ? batch.slot_count
                                  : batch.slots.as<std::int64_t>()[i + 1];
    for (std::int64_t s = slot; is_last && s < next; ++s) {
      const std::int64_t end = used[static_cast<std::size_t>(s)];
      if (end < batch.sample_count_max) {
        text += fmt::format(" (gap s{} {}..{})", s, end, batch.sample_count_max);
      }
    }
  }
  return text;
}

std::string columns_line(const Minibatch& minibatch) {
  const StreamBatch& batch = minibatch.batch(0);
  std::string text = "columns :";
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.row_count()); ++row) {
    const bool is_gap = batch.mask.as<std::uint8_t>()[row] == 0;
    text += is_gap ? " -" : fmt::format(" {:.2f}", batch.values.as<float>()[row]);
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

OrderOptions options_of(const std::vector<std::string>& words) {
  // A line is: run truncation K mb N workers W rank R cross C sweeps S.
  return {.minibatch_size = std::stoll(words[4]),
          .sweeps = std::stoll(words[12]),
          .sweep_ends = words[10] == "0" ? SweepEnds::cut : SweepEnds::cross,
          .worker_index = std::stoll(words[8]),
          .worker_count = std::stoll(words[6]),
          .truncation_length = std::stoll(words[2])};
}

TEST(CntkGolden, TruncatedMinibatchesMatchCntk) {
  const Sizes table = testing::golden_table("R");
  const auto streams = std::make_shared<std::vector<Stream>>(
      std::vector<Stream>{{.name = "a", .sample_shape = {1}}});
  const Chunk data = chunk_of(table, *streams);
  int compared = 0;
  std::unique_ptr<Sequencer> sequencer;
  std::unique_ptr<Packer> packer;
  Place place;
  const auto lines = golden_lines("12_truncated.txt");
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i][0] == "run") {
      const OrderOptions options = options_of(lines[i++]);
      sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table), options);
      packer = truncated_packer(truncated_slot_count(options), *options.truncation_length);
      place = {};
      continue;
    }
    const std::optional<Step> step = testing::step_of(*sequencer, place);
    ASSERT_TRUE(step) << "line " << i + 1;
    place = step->next;
    EXPECT_EQ(
        fmt::format("mb {} pos {} eos {} eoe {}", lines[i][1], place.sweep * 61 + place.sample,
                    int{step->ends_sweep}, int{step->ends_epoch}),
        joined(lines[i]))
        << "line " << i + 1;
    SequenceList list(streams);
    for (std::size_t n = 0; n < step->sequences.size(); ++n) {
      const std::int64_t number = testing::sequence_number(table, step->sequences[n]);
      list.add({static_cast<std::uint64_t>(number), 0}, data, number, step->slices[n],
               step->slots[n]);
    }
    const Minibatch minibatch = packer->pack(list);
    EXPECT_EQ(layout_line(minibatch), joined(lines[i + 1])) << "line " << i + 2;
    EXPECT_EQ(columns_line(minibatch), joined(lines[i + 2])) << "line " << i + 3;
    i += 3;
    ++compared;
  }
  EXPECT_EQ(compared, 49);
}

// File order has no window, but the units of unfinished sequences in slots are held.
TEST(TruncatedSequencer, TheUnitsOfUnfinishedSequencesAreHeld) {
  const Sizes table = {{2, 40}, {1, 1}, {1, 1}, {30}};
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table),
                                        {.minibatch_size = 8, .truncation_length = 4});
  std::set<ChunkRange> held;
  std::set<ChunkIndex> released;
  for (const testing::WalkedStep& step : testing::walk(*sequencer)) {
    held.insert(step.load.begin(), step.load.end());
    for (const ChunkRange& range : step.release) {
      held.erase(range);
      released.insert(range.chunk);
    }
    std::set<ChunkIndex> unfinished;
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      const SequenceRef& ref = step.sequences[i];
      const std::int64_t length =
          table[static_cast<std::size_t>(ref.chunk)][static_cast<std::size_t>(ref.sequence)];
      if (step.slices[i].first + step.slices[i].count < length) unfinished.insert(ref.chunk);
    }
    for (const ChunkIndex chunk : unfinished) EXPECT_TRUE(held.contains({chunk}));
  }
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(released.size(), 4U);
}

TEST(TruncatedSequencer, AUnitIsAPartOfItsChunk) {
  MadeUpCounts counts(Sizes{});
  counts.add_chunk({1, 9, 1, 9, 1}, 3);  // units: sequence 0, sequences 1 and 2, sequences 3 and 4
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(counts),
                                        {.minibatch_size = 4, .truncation_length = 4});
  const std::vector<testing::WalkedStep> steps = testing::walk(*sequencer);
  const auto unit = [](std::int64_t first, std::int64_t count) {
    return ChunkRange{ChunkIndex{0}, first, count};
  };
  using Ranges = std::vector<ChunkRange>;
  ASSERT_EQ(steps.size(), 6U);  // 1 + 3, 4, 2 + 1 + 1, 4, 4, 1
  EXPECT_EQ(steps[0].load, Ranges({unit(1, 2)}));
  EXPECT_EQ(steps[1].load, Ranges());
  EXPECT_EQ(steps[1].release, Ranges());
  EXPECT_EQ(steps[2].load, Ranges({unit(3, 2)}));
  EXPECT_EQ(steps[2].release, Ranges({unit(1, 2)}));
}

TEST(TruncatedSequencer, EachPieceBelongsToTheSweepOfItsStart) {
  // The long sequence keeps one slot while other slots deliver several sweeps.
  const Sizes table = {{40, 1, 1}};
  OrderOptions options{.minibatch_size = 8, .sweeps = 4, .truncation_length = 4};
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table), options);
  std::map<std::int64_t, std::int64_t> samples;  // of each sweep
  Place place;
  while (const std::optional<Step> step = testing::step_of(*sequencer, place)) {
    for (std::size_t i = 0; i < step->sequences.size(); ++i) {
      samples[step->sweep_of(i)] += step->slices[i].count;
    }
    place = step->next;
  }
  const std::map<std::int64_t, std::int64_t> expected = {{0, 42}, {1, 42}, {2, 42}, {3, 42}};
  EXPECT_EQ(samples, expected);
}

/// Counts that know the lengths of sequences. A length of -1 stands for a wrong sequence.
class KnownLengths final : public Counts, public internal::CutLengths {
 public:
  KnownLengths(const Sizes& counts, Sizes lengths)
      : counts_(counts), lengths_(std::move(lengths)) {}

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override {
    return counts_.chunk_counts(chunk);
  }
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override {
    return counts_.sample_counts(chunk);
  }
  [[nodiscard]] bool has_cut_lengths() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override {
    const std::int64_t length =
        lengths_[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(sequence)];
    return length < 0 ? std::nullopt : std::optional(length);
  }

 private:
  MadeUpCounts counts_;
  Sizes lengths_;
};

/// Returns the pieces of each step as texts: slot, sequence, first sample + number of samples.
std::vector<std::string> pieces_of(const Sequencer& sequencer, Place place = {}) {
  std::vector<std::string> steps;
  while (const std::optional<Step> step = testing::step_of(sequencer, place)) {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < step->sequences.size(); ++i) {
      pieces.push_back(fmt::format("{}:{}:{}+{}", step->slots[i], step->sequences[i].sequence,
                                   step->slices[i].first, step->slices[i].count));
    }
    if (step->ends_sweep) pieces.emplace_back("end");
    steps.push_back(joined(pieces));
    place = step->next;
  }
  return steps;
}

TEST(TruncatedSequencer, AWrongSequenceTakesNoRoom) {
  const auto sequencer = make_sequencer(
      std::make_shared<KnownLengths>(Sizes{{3, 4, 5, 2, 1}}, Sizes{{3, -1, 5, -1, -1}}),
      {.minibatch_size = 4, .truncation_length = 4});
  const std::vector<std::string> steps = {"0:0:0+3 0:1:0+0 0:2:0+1", "0:2:1+4 0:3:0+0 0:4:0+0 end"};
  EXPECT_EQ(pieces_of(*sequencer), steps);
  const Place middle = testing::step_of(*sequencer, {})->next;
  EXPECT_EQ(pieces_of(*sequencer, middle), std::vector<std::string>{steps[1]});
  const auto none = make_sequencer(std::make_shared<KnownLengths>(Sizes{{3, 4}}, Sizes{{-1, -1}}),
                                   {.minibatch_size = 8, .truncation_length = 4});
  EXPECT_EQ(pieces_of(*none), std::vector<std::string>{"0:0:0+0 0:1:0+0 end"});
}

/// Returns made-up lengths of sequences in chunks. Many sequences are wrong or empty.
Sizes lengths_with_wrong(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Sizes lengths(9);
  for (std::vector<std::int64_t>& chunk : lengths) {
    chunk.resize(1 + random() % 7);
    for (std::int64_t& length : chunk) {
      length = static_cast<std::int64_t>(random() % 14) - 4;
      if (length < 0) length = -1;
    }
  }
  return lengths;
}

// Each sequence has all its samples in each sweep, and each wrong sequence is there once. Steps are
// the same from each place on.
TEST(TruncatedSequencer, WrongSequencesKeepTheLaws) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Sizes lengths = lengths_with_wrong(seed);
    Sizes ones = lengths;
    for (auto& chunk : ones) std::ranges::fill(chunk, 1);
    const OrderOptions options{
        .minibatch_size = 4 * static_cast<std::int64_t>(1 + seed % 4),
        .sweeps = 2,
        .sweep_ends = seed % 2 == 0 ? SweepEnds::cross : SweepEnds::cut,
        .algorithm =
            std::array{OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}[seed % 3],
        .seed = seed,
        .window_chunks = seed % 3 == 0 ? std::nullopt : std::optional<std::int64_t>(3),
        .truncation_length = 4};
    const auto sequencer = make_sequencer(std::make_shared<KnownLengths>(ones, lengths), options);
    std::map<std::tuple<std::int64_t, ChunkIndex, std::int64_t>, std::int64_t> found;
    const std::vector<testing::WalkedStep> steps = testing::walk(*sequencer);
    Place place;
    for (const testing::WalkedStep& step : steps) {
      for (std::size_t i = 0; i < step.sequences.size(); ++i) {
        const SequenceRef& ref = step.sequences[i];
        const std::tuple name{step.sweep_of(i), ref.chunk, ref.sequence};
        const bool is_wrong = step.slices[i].count == 0;
        EXPECT_TRUE(!is_wrong || !found.contains(name)) << "once";
        EXPECT_EQ(found[name], step.slices[i].first);
        found[name] += is_wrong ? -1 : step.slices[i].count;
      }
      const std::optional<Step> again = testing::step_of(*sequencer, place);
      ASSERT_TRUE(again);
      EXPECT_EQ(again->sequences, step.sequences);
      EXPECT_EQ(again->next, step.next);
      EXPECT_EQ(again->ends_sweep, step.ends_sweep);
      place = step.next;
    }
    EXPECT_FALSE(testing::step_of(*sequencer, place));
    for (std::int64_t sweep = 0; sweep < 2; ++sweep) {
      for (std::size_t c = 0; c < lengths.size(); ++c) {
        for (std::size_t i = 0; i < lengths[c].size(); ++i) {
          if (lengths[c][i] == 0) continue;
          const auto each = found.find(
              {sweep, ChunkIndex{static_cast<std::int64_t>(c)}, static_cast<std::int64_t>(i)});
          ASSERT_NE(each, found.end()) << sweep << ' ' << c << ' ' << i;
          EXPECT_EQ(each->second, lengths[c][i]) << sweep << ' ' << c << ' ' << i;
        }
      }
    }
  }
}

TEST(TruncatedSequencer, AStepHasFewWrongSequences) {
  constexpr std::int64_t kMost = internal::TruncatedSequencer::kWrongMax;
  for (const std::int64_t wrong_count : {kMost - 1, kMost, kMost + 1, 3 * kMost + 1}) {
    SCOPED_TRACE(wrong_count);
    Sizes counts = {{3}};
    counts[0].resize(static_cast<std::size_t>(wrong_count + 1), 7);
    Sizes lengths = {{3}};
    lengths[0].resize(counts[0].size(), -1);
    counts[0].push_back(2);
    lengths[0].push_back(2);
    const auto sequencer = make_sequencer(std::make_shared<KnownLengths>(counts, lengths),
                                          {.minibatch_size = 4, .truncation_length = 4});
    std::vector<std::int64_t> order;
    std::int64_t samples = 0;
    Place place;
    while (const std::optional<Step> step = testing::step_of(*sequencer, place)) {
      EXPECT_LE(std::ssize(step->sequences), kMost + 2);
      for (const SequenceRef& each : step->sequences) {
        if (order.empty() || order.back() != each.sequence) order.push_back(each.sequence);
      }
      samples += step->sample_count;
      place = step->next;
    }
    EXPECT_EQ(std::ssize(order), wrong_count + 2) << "each sequence is delivered";
    EXPECT_TRUE(std::ranges::is_sorted(order));
    EXPECT_EQ(samples, 5);
  }
}

TEST(TruncatedSequencer, AnEndlessEpochOfWrongSequencesGoesOn) {
  const auto sequencer =
      make_sequencer(std::make_shared<KnownLengths>(Sizes{{3, 4}}, Sizes{{-1, -1}}),
                     {.minibatch_size = 8, .sweeps = std::nullopt, .truncation_length = 4});
  Place place;
  for (int i = 0; i < 3; ++i) {
    const std::optional<Step> step = testing::step_of(*sequencer, place);
    ASSERT_TRUE(step);
    EXPECT_FALSE(step->sequences.empty());
    EXPECT_EQ(step->sample_count, 0);
    EXPECT_GT(step->next.sweep, place.sweep);
    place = step->next;
  }
}

TEST(TruncatedSequencer, DataWithoutSamplesAreRefusedIfTheEpochNeverEnds) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{0, 0}, {0}});
  const OrderOptions once{.minibatch_size = 8, .truncation_length = 4};
  OrderOptions endless = once;
  endless.sweeps = std::nullopt;
  OrderOptions counted = once;
  counted.epoch_size = 3;
  for (const OrderOptions& options : {endless, counted}) {
    EXPECT_THROW(static_cast<void>(testing::step_of(*make_sequencer(counts, options), {})),
                 ConfigError);
  }
  EXPECT_TRUE(pieces_of(*make_sequencer(counts, once)).size() <= 1);
  // The first sweeps may have no sample for a worker.
  const auto few = std::make_shared<MadeUpCounts>(Sizes{{0, 0}, {0, 5}});
  EXPECT_EQ(testing::step_of(*make_sequencer(few, endless), {})->sample_count, 8);
}

TEST(TruncatedSequencer, PiecesAreCutFromLengthsAndEpochsFromCounts) {
  const auto sequencer =
      make_sequencer(std::make_shared<KnownLengths>(Sizes{{1, 1, 1}}, Sizes{{5, 2, 3}}),
                     {.minibatch_size = 4, .epoch_size = 2, .truncation_length = 4});
  const std::vector<std::string> steps = {"0:0:0+4", "0:0:4+1 0:1:0+2"};
  EXPECT_EQ(pieces_of(*sequencer), steps);
}

TEST(TruncatedSequencer, AnInvalidCarryIsRefused) {
  const Sizes table = testing::golden_table("R");
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table),
                                        {.minibatch_size = 8, .truncation_length = 4});
  const Place good = testing::step_of(*sequencer, {})->next;
  ASSERT_EQ(good.carry.size(), 7U);
  EXPECT_TRUE(testing::step_of(*sequencer, good));
  const std::vector<std::vector<std::int64_t>> bad = {
      {0},
      {0, 0, 0, 0},
      {2, -1, 0, 0, -1, 0, 0},
      {0, 99, 0, 0, -1, 0, 0},
      {0, 0, 99, 0, -1, 0, 0},
      {0, 0, 0, 99, -1, 0, 0},
      {0, 0, -1, 0, -1, 0, 0},
      {0, -2, 0, 0, -1, 0, 0},
      {0, -1, 0, 0, -1, 0, 0, 5},
  };
  for (const std::vector<std::int64_t>& carry : bad) {
    Place place = good;
    place.carry = carry;
    EXPECT_THROW(static_cast<void>(testing::step_of(*sequencer, place)), ConfigError)
        << fmt::format("{}", fmt::join(carry, " "));
  }
}

}  // namespace
}  // namespace sheaf
