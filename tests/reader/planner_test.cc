#include "reader/planner.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::fake;
using sheaf::testing::FakeData;
using sheaf::testing::FakeDeserializer;
using sheaf::testing::JumpingSequencer;
using sheaf::testing::small_data;

constexpr std::int64_t kUnit = kUnitSizeBytes;

std::vector<std::int64_t> unit_sizes(const std::vector<std::int64_t>& sequence_sizes) {
  MemoryIndex index;
  SequenceTable::Builder table;
  std::int64_t offset = 0;
  for (const std::int64_t size : sequence_sizes) {
    table.push_back({.offset_bytes = offset, .sample_count = 1});
    offset += size;
  }
  index.add({.size_bytes = offset, .decoded_size_bytes = 3 * offset}, table.finish());
  const ChunkCut cut(index, ChunkIndex{0});
  std::vector<std::int64_t> sizes;
  std::int64_t next = 0;
  std::int64_t decoded_bytes = 0;
  for (std::int64_t unit = 0; unit < cut.unit_count(); ++unit) {
    EXPECT_EQ(cut.first_of(unit), next);
    sizes.push_back(cut.count_of(unit));
    decoded_bytes += cut.decoded_bytes(next, cut.count_of(unit));
    for (; next < cut.first_of(unit) + cut.count_of(unit); ++next) {
      EXPECT_EQ(cut.unit_of(next), unit);
    }
  }
  EXPECT_EQ(next, std::ssize(sequence_sizes));
  EXPECT_GE(decoded_bytes, 3 * offset);
  EXPECT_LE(decoded_bytes, 3 * offset + cut.unit_count());
  return sizes;
}

TEST(ChunkCut, UnitsHoldAsManySequencesAsFitAndAtLeastOne) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(unit_sizes({1}), Sizes({1}));
  EXPECT_EQ(unit_sizes({kUnit - 1, 1, 1}), Sizes({2, 1}));
  EXPECT_EQ(unit_sizes({kUnit, 1, 1}), Sizes({1, 2}));
  EXPECT_EQ(unit_sizes({1, 5 * kUnit, 1, kUnit - 1}), Sizes({1, 1, 2}));
  EXPECT_EQ(unit_sizes({1, 1, kUnit}), Sizes({2, 1}));
  EXPECT_EQ(unit_sizes({0, 0, 0}), Sizes({3}));
  EXPECT_EQ(unit_sizes(Sizes(10'000, 1000)),
            Sizes({1048, 1048, 1048, 1048, 1048, 1048, 1048, 1048, 1048, 568}));
}

/// What the plan says, sequence by sequence.
std::vector<SequenceRef> sequences_of(const StepPlan& plan) {
  std::vector<SequenceRef> sequences;
  for (const SequenceRun& run : plan.runs) {
    const UnitUse& use = plan.units[static_cast<std::size_t>(run.use)];
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      EXPECT_EQ(use.cut->unit_of(i), use.unit);
      sequences.push_back({use.cut->chunk(), i});
    }
  }
  return sequences;
}

void expect_same_plan(const FakeDeserializer& data, const Sequencer& sequencer) {
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(data, sequencer, *packer, {});
  Place place;
  while (const std::optional<Step> step = sequencer.step(place)) {
    std::optional<StepPlan> plan = planner.next();
    ASSERT_TRUE(plan);
    EXPECT_EQ(sequences_of(*plan), step->sequences);
    EXPECT_EQ(plan->slices, step->slices);
    EXPECT_EQ(plan->release, step->release);
    EXPECT_EQ(plan->ends_sweep, step->ends_sweep);
    EXPECT_EQ(plan->ends_epoch, step->ends_epoch);
    EXPECT_EQ(plan->next, step->next);
    place = step->next;
  }
  EXPECT_FALSE(planner.next());
}

TEST(Planner, PlansWhatTheSequencerSays) {
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  expect_same_plan(*data, LinearSequencer(counts, {.minibatch_size = 9, .sweeps = 2}));
  expect_same_plan(*data, JumpingSequencer(*counts, 2));
  expect_same_plan(*data, JumpingSequencer(*counts, 2, true));
}

TEST(Planner, SaysNeighboursOfOneUnitAtOnce) {
  FakeData data;
  data.sample_size_bytes = 1;
  data.lengths = {std::vector<std::int64_t>(1000, 1)};
  const auto deserializer = fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  const std::optional<StepPlan> plan = planner.next();
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->units.size(), 1U);
  ASSERT_EQ(plan->runs.size(), 1U);
  EXPECT_EQ(plan->runs[0].count, 256);
}

TEST(Planner, ExpectsTheRowsOfThePackingToTakeMemory) {
  FakeData data;
  data.lengths = {{1, 1, 1, 97}};  // padded: 388 rows for 100 samples; packed: 194
  const auto deserializer = fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const auto bytes = [&](const Packer& packer) {
    return Planner(*deserializer, sequencer, packer, {}).next()->packed_bytes;
  };
  constexpr std::int64_t kRowBytes = FakeDeserializer::kSampleBytesMax;
  EXPECT_GT(bytes(*padded_packer()), 388 * kRowBytes);
  EXPECT_GT(bytes(*packed_packer()), 194 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer()), 230 * kRowBytes);
  EXPECT_GT(bytes(*ragged_packer()), 100 * kRowBytes);
  EXPECT_LT(bytes(*ragged_packer()), 120 * kRowBytes);
  EXPECT_LT(bytes(*frames_packer()), 20 * kRowBytes);
  // Slots of 128 steps have them all; those of 97 take two.
  EXPECT_GT(bytes(*packed_packer(128)), 128 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer(128)), 150 * kRowBytes);
  EXPECT_GT(bytes(*packed_packer(97)), 194 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer(97)), 230 * kRowBytes);
}

/// Made-up data, and one stream of large samples, fewer than the index counts.
class LabelledDeserializer final : public Deserializer {
 public:
  static constexpr std::int64_t kLabelBytes = 40'000;

  explicit LabelledDeserializer(FakeData data)
      : data_(std::move(data)), streams_(data_.streams().begin(), data_.streams().end()) {
    streams_.push_back({.name = "label", .sample_shape = {kLabelBytes / 4}});
  }
  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return data_.index(); }
  [[nodiscard]] std::string fingerprint() const override { return data_.fingerprint(); }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    return data_.read(range, diagnostics);
  }

 private:
  FakeDeserializer data_;
  std::vector<Stream> streams_;
};

TEST(Planner, ExpectsAFewSamplesToTakeAWholeSlotWhereThatHasAFixedLength) {
  FakeData data;
  data.lengths = {{100, 28}};
  const auto deserializer = std::make_shared<const LabelledDeserializer>(std::move(data));
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const auto bytes = [&](const Packer& packer) {
    return Planner(*deserializer, sequencer, packer, {}).next()->packed_bytes;
  };
  EXPECT_GT(bytes(*packed_packer(128)), 128 * LabelledDeserializer::kLabelBytes);
  EXPECT_LT(bytes(*packed_packer(128)), 130 * LabelledDeserializer::kLabelBytes);
  EXPECT_LT(bytes(*packed_packer()), 220 * FakeDeserializer::kSampleBytesMax);
}

}  // namespace
}  // namespace sheaf::internal
