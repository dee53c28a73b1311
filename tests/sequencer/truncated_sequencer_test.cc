#include "sequencer/truncated_sequencer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/packer.h"

#include "sequencer/golden.h"

namespace sheaf {
namespace {

using testing::golden_lines;
using testing::MadeUpCounts;
using testing::Sizes;

/// All sequences of a table as one chunk: sample k of sequence i is i + k / 100.
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
    // The file has the gap of a slot behind its sequences.
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
  // run truncation K mb N workers W rank R cross C sweeps S
  return {.minibatch_size = std::stoll(words[4]),
          .sweeps = std::stoll(words[12]),
          .sweep_ends = words[10] == "0" ? SweepEnds::cut : SweepEnds::cross,
          .worker_index = std::stoll(words[8]),
          .worker_count = std::stoll(words[6]),
          .truncation_length = std::stoll(words[2])};
}

TEST(CntkGolden, TruncatedMinibatchesAreTheSame) {
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
    const std::optional<Step> step = sequencer->step(place);
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

TEST(TruncatedSequencer, ChunksOfUnfinishedSequencesAreNotReleased) {
  const Sizes table = {{2, 40}, {1, 1}, {1, 1}, {30}};
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table),
                                        {.minibatch_size = 8, .truncation_length = 4});
  std::vector<ChunkRange> released;
  for (const Step& step : testing::walk(*sequencer)) {
    for (const SequenceRef& sequence : step.sequences) {
      EXPECT_EQ(std::ranges::count(released, ChunkRange{sequence.chunk}), 0);
    }
    released.insert(released.end(), step.release.begin(), step.release.end());
  }
  EXPECT_EQ(std::ssize(released), 4);
}

/// File order that holds every sequence for its step alone.
class SingleSequencer final : public Sequencer {
 public:
  explicit SingleSequencer(std::shared_ptr<const Counts> counts)
      : order_(std::move(counts), {.minibatch_size = 1, .unit = MinibatchUnit::sequences}) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "single"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& from) const override {
    std::optional<Step> step = order_.step(from);
    if (!step) return step;
    step->load = {{step->sequences[0].chunk, step->sequences[0].sequence, 1}};
    step->release = step->load;
    return step;
  }

 private:
  LinearSequencer order_;
};

TEST(TruncatedSequencer, PartsOfChunksAreHeldAsLongAsTheirSequences) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{2, 9, 1}, {1, 1}});
  const internal::TruncatedSequencer sequencer(counts, std::make_unique<SingleSequencer>(counts),
                                               {.minibatch_size = 4, .truncation_length = 4});
  const auto part = [](std::int64_t chunk, std::int64_t sequence) {
    return ChunkRange{ChunkIndex{chunk}, sequence, 1};
  };
  const std::vector<Step> steps = testing::walk(sequencer);
  ASSERT_EQ(steps.size(), 4U);  // 4 samples, then 4, 4 and 2
  using Ranges = std::vector<ChunkRange>;
  EXPECT_EQ(steps[0].load, Ranges({part(0, 0), part(0, 1)}));
  EXPECT_EQ(steps[0].release, Ranges({part(0, 0)})) << "loaded and passed within the step";
  EXPECT_EQ(steps[1].load, Ranges());
  EXPECT_EQ(steps[1].release, Ranges());
  EXPECT_EQ(steps[2].load, Ranges({part(0, 2), part(1, 0)}));
  EXPECT_EQ(steps[2].release, Ranges({part(0, 1), part(0, 2)}));
  EXPECT_EQ(steps[3].load, Ranges({part(1, 1)}));
  EXPECT_EQ(steps[3].release, Ranges({part(1, 0), part(1, 1)}));
}

TEST(TruncatedSequencer, ACarryThatIsNoneIsRefused) {
  const Sizes table = testing::golden_table("R");
  const auto sequencer = make_sequencer(std::make_shared<MadeUpCounts>(table),
                                        {.minibatch_size = 8, .truncation_length = 4});
  const Place good = sequencer->step({})->next;
  ASSERT_EQ(good.carry.size(), 7U);
  EXPECT_TRUE(sequencer->step(good));
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
    EXPECT_THROW(static_cast<void>(sequencer->step(place)), ConfigError)
        << fmt::format("{}", fmt::join(carry, " "));
  }
}

}  // namespace
}  // namespace sheaf
