#include "reader/pack/step_packer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/packer.h"
#include "sheaf/minibatch.h"

#include "reader/run_all.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::WrittenSequencer;

/// Packs items of written steps, over two chunks of four sequences.
class StepPackerTest : public ::testing::Test {
 protected:
  StepPackerTest() {
    sheaf::testing::FakeData data;
    data.lengths.assign(2, {1, 2, 3, 4});
    data_ = sheaf::testing::fake(data);
    const std::span<const Stream> streams = data_->streams();
    streams_ = std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end());
  }

  /// Returns all steps of the plan in one item, with their units read.
  WorkItem item_of(const std::vector<sheaf::testing::WrittenStep>& steps) {
    const WrittenSequencer sequencer(steps);
    Planner planner(*data_, sequencer, *packer_, {});
    WorkItem item;
    item.plan = *planner.next(std::ssize(steps));
    for (const UnitUse& use : item.plan.units) {
      Unit& unit = *units_.emplace_back(std::make_unique<Unit>(use));
      Diagnostics diagnostics;
      Chunk chunk = data_->read({use.cut->chunk(), unit.first, unit.count}, diagnostics);
      unit.set_content(std::move(chunk), std::move(diagnostics), *streams_);
      item.units.push_back(&unit);
    }
    return item;
  }

  StepPacker step_packer(const Packer& packer) const {
    return {packer, nullptr, *data_, streams_, run_, default_memory()};
  }

  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::shared_ptr<const RunIdentity> run_ = std::make_shared<const RunIdentity>();
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::vector<std::unique_ptr<Unit>> units_;
};

constexpr ChunkIndex kFirst{0};
constexpr ChunkIndex kSecond{1};

TEST_F(StepPackerTest, PacksAMinibatchWithItsPositionForEachStep) {
  WorkItem item =
      item_of({{.sequences = {{kFirst, 3}, {kSecond, 0}}, .load = {{kFirst}, {kSecond}}},
               {.sequences = {{kFirst, 1}}}});
  ASSERT_EQ(item.plan.steps.size(), 2U);
  item.plan.steps[1].ends_sweep = true;
  step_packer(*packer_).pack_all(item);
  ASSERT_EQ(item.packed.size(), 2U);
  const Minibatch& first = item.packed[0].minibatch;
  EXPECT_EQ(first.sequence_count(), 2);
  EXPECT_EQ(first.sample_count(), 5);
  EXPECT_FALSE(first.ends_sweep);
  EXPECT_EQ(first.position.place.sequence, 1);
  EXPECT_EQ(first.position.run, run_);
  const Minibatch& second = item.packed[1].minibatch;
  EXPECT_EQ(second.sequence_count(), 1);
  EXPECT_TRUE(second.ends_sweep);
  EXPECT_EQ(second.position.place.sequence, 2);
}

TEST_F(StepPackerTest, KeepsMinibatchesBeforeAFailedUnit) {
  WorkItem item = item_of(
      {{.sequences = {{kFirst, 3}}, .load = {{kFirst}, {kSecond}}}, {.sequences = {{kSecond, 1}}}});
  ASSERT_EQ(item.units.size(), 2U);
  item.units[1]->error = std::make_exception_ptr(IoError("made-up: no byte"));
  EXPECT_THROW(step_packer(*packer_).pack_all(item), IoError);
  EXPECT_EQ(item.packed.size(), 1U);
}

TEST_F(StepPackerTest, AFailedUnitSpoilsItsStep) {
  WorkItem item = item_of({{.sequences = {{kFirst, 3}}, .load = {{kFirst}, {kSecond}}},
                           {.sequences = {{kFirst, 3}, {kSecond, 1}, {kFirst, 3}}},
                           {.sequences = {{kFirst, 3}}}});
  ASSERT_EQ(item.units.size(), 2U);
  ASSERT_EQ(item.plan.steps.size(), 3U);
  item.units[1]->error = std::make_exception_ptr(IoError("made-up: no byte"));
  item.units[1]->chunk = nullptr;  // as after a failed read
  EXPECT_EQ(sheaf::testing::error_of<IoError>([&] { step_packer(*packer_).pack_all(item); }),
            "made-up: no byte");
  EXPECT_EQ(item.packed.size(), 1U);
}

/// Units of every kind, with four sequences of 1 to 4 samples each. The number of a chunk is the
/// kind of its unit.
class MixedUnitsTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kUnitSize = 4;
  static constexpr std::int64_t kHole = 2;  // in the units with a hole

  enum Kind : std::uint8_t {
    plain,
    narrow_values,
    plain_too,
    narrow_too,
    holed,         // with a hole
    narrow_holed,  // narrow, with a hole
    flawed,        // a sequence is delivered with a warning
    kind_count,
  };

  MixedUnitsTest() {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = 1000;  // so that a chunk is one unit
    for (std::int64_t kind = 0; kind < kind_count; ++kind) data.lengths.push_back({3, 1, 4, 2});
    for (const Kind kind : {holed, narrow_holed}) data.wrong[{kind, kHole}] = {50 + kind, 80};
    data.flawed[{flawed, 1}] = {70};
    data.warned = {70};
    data_ = sheaf::testing::fake(data);
    const std::span<const Stream> streams = data_->streams();
    streams_ = std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end());
  }

  [[nodiscard]] static bool is_narrow(std::int64_t kind) {
    return kind == narrow_values || kind == narrow_too || kind == narrow_holed;
  }
  [[nodiscard]] static bool is_hole(const SequenceRef& ref) {
    const auto kind = static_cast<std::int64_t>(ref.chunk);
    return (kind == holed || kind == narrow_holed) && ref.sequence == kHole;
  }

  /// Packs all steps in one item. With slices, each sequence comes without its first sample.
  WorkItem& packed(const std::vector<std::vector<SequenceRef>>& steps, bool has_slices = false) {
    std::vector<sheaf::testing::WrittenStep> written;
    for (const std::vector<SequenceRef>& step : steps) {
      written.push_back({.sequences = step});
      if (has_slices) written.back().slices.assign(step.size(), {1, SampleRange::kAll});
    }
    for (std::int64_t kind = 0; kind < kind_count; ++kind) {
      written.front().load.push_back({ChunkIndex{kind}});
    }
    const WrittenSequencer sequencer(written);
    Planner planner(*data_, sequencer, *packer_, {});
    item_ = {};
    units_.clear();
    item_.plan = *planner.next(std::ssize(steps));
    EXPECT_EQ(item_.plan.steps.size(), steps.size());
    for (UnitUse use : item_.plan.units) {
      const auto kind = static_cast<std::int64_t>(use.cut->chunk());
      use.form = is_narrow(kind) ? UnitForm::narrow : UnitForm::as_read;
      Unit& unit = *units_.emplace_back(std::make_unique<Unit>(use));
      EXPECT_EQ(unit.count, kUnitSize);
      Diagnostics diagnostics;
      Chunk chunk = data_->read({use.cut->chunk(), unit.first, unit.count}, diagnostics);
      unit.set_content(std::move(chunk), std::move(diagnostics), *streams_);
      EXPECT_EQ(unit.chunk->is_narrow(), is_narrow(kind));
      item_.units.push_back(&unit);
    }
    StepPacker(*packer_, nullptr, *data_, streams_, std::make_shared<const RunIdentity>(),
               default_memory())
        .pack_all(item_);
    return item_;
  }

  /// Expects the values of FakeDeserializer for these sequences.
  static void expect_sequences(const Packed& packed, const std::vector<SequenceRef>& refs,
                               std::int64_t first_sample = 0) {
    const Minibatch& minibatch = packed.minibatch;
    std::int64_t n = 0;
    std::int64_t hole_count = 0;
    std::vector<SequenceRef> wrong;
    for (const SequenceRef& ref : refs) {
      const auto kind = static_cast<std::int64_t>(ref.chunk);
      SCOPED_TRACE(std::to_string(kind) + "/" + std::to_string(ref.sequence));
      if (kind == flawed && ref.sequence == 1) wrong.push_back(ref);
      if (is_hole(ref)) {
        ++hole_count;
        wrong.insert(wrong.end(), 2, ref);
        continue;
      }
      ASSERT_LT(n, minibatch.sequence_count());
      const std::uint64_t key =
          sheaf::testing::FakeDeserializer::key(static_cast<std::size_t>(kind), ref.sequence);
      EXPECT_EQ(minibatch.keys()[static_cast<std::size_t>(n)], SequenceKey{key});
      const std::int64_t lengths[] = {3, 1, 4, 2};
      const std::int64_t length = lengths[ref.sequence] - first_sample;
      for (std::int64_t s = 0; s < 2; ++s) {
        ASSERT_EQ(minibatch.batch(s).lengths.as<std::int64_t>()[static_cast<std::size_t>(n)],
                  length);
      }
      for (std::int64_t t = 0; t < length; ++t) {
        const std::int64_t j = first_sample + t;
        const SampleView x = minibatch.sample(0, n, t);
        ASSERT_EQ(x.value_count, 2);
        EXPECT_EQ(reinterpret_cast<const float*>(x.values)[0], static_cast<float>(key));
        EXPECT_EQ(reinterpret_cast<const float*>(x.values)[1], static_cast<float>(j));
        const SampleView y = minibatch.sample(1, n, t);
        ASSERT_EQ(y.value_count, 1);
        EXPECT_EQ(*reinterpret_cast<const float*>(y.values), static_cast<float>(ref.sequence + j));
        EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(y.indices), ref.sequence + j);
      }
      ++n;
    }
    EXPECT_EQ(minibatch.sequence_count(), n);
    EXPECT_EQ(minibatch.hole_count, hole_count);
    std::vector<SequenceRef> erroneous;
    for (const SequenceError& error : packed.errors)
      erroneous.push_back({error.chunk, error.sequence});
    EXPECT_EQ(erroneous, wrong);
  }

  /// Returns all sequences of all units, shuffled with a seed.
  static std::vector<SequenceRef> shuffled(std::uint32_t seed) {
    std::vector<SequenceRef> all;
    for (std::int64_t kind = 0; kind < kind_count; ++kind) {
      for (std::int64_t i = 0; i < kUnitSize; ++i) all.push_back({ChunkIndex{kind}, i});
    }
    for (std::size_t i = all.size(); i > 1; --i) {
      seed = seed * 1'664'525U + 1'013'904'223U;
      std::swap(all[i - 1], all[(seed >> 8) % i]);
    }
    return all;
  }

  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::vector<std::unique_ptr<Unit>> units_;
  WorkItem item_;
};

TEST_F(MixedUnitsTest, AStepMayMixUnitsOfAnyKind) {
  for (std::int64_t a = 0; a < kind_count; ++a) {
    for (std::int64_t b = 0; b < kind_count; ++b) {
      for (std::int64_t c = 0; c < kind_count; ++c) {
        SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c));
        // Only the unit of the last kind delivers its hole.
        const std::vector<SequenceRef> step = {
            {ChunkIndex{a}, 3}, {ChunkIndex{b}, 1}, {ChunkIndex{c}, kHole}};
        const WorkItem& item = packed({step});
        ASSERT_EQ(item.packed.size(), 1U);
        expect_sequences(item.packed[0], step);
      }
    }
  }
}

TEST_F(MixedUnitsTest, RunsOfSeveralSequencesKeepTheirOrder) {
  // Neighbouring sequences of a unit form one run, with the hole in its middle.
  std::vector<SequenceRef> step;
  for (const Kind kind :
       {narrow_values, holed, plain, narrow_holed, narrow_too, flawed, plain_too}) {
    for (std::int64_t i = 0; i < kUnitSize; ++i) step.push_back({ChunkIndex{kind}, i});
  }
  step.push_back({ChunkIndex{narrow_values}, 2});
  step.push_back({ChunkIndex{narrow_values}, 3});
  const WorkItem& item = packed({step});
  ASSERT_EQ(item.plan.runs.size(), 8U);
  expect_sequences(item.packed[0], step);
}

TEST_F(MixedUnitsTest, StepsOfAPlanShareTheirUnits) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<SequenceRef> all = shuffled(seed);
    std::vector<std::vector<SequenceRef>> steps;
    for (std::size_t size = 1 + seed % 3, at = 0; at < all.size(); at += size, ++size) {
      const std::size_t end = std::min(at + size, all.size());
      steps.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
    }
    packer_ = seed % 2 == 0 ? padded_packer({.pad_side = PadSide::left}) : ragged_packer();
    const bool has_slices = seed % 5 == 0;
    const WorkItem& item = packed(steps, has_slices);
    ASSERT_EQ(item.packed.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE(i);
      expect_sequences(item.packed[i], steps[i], has_slices ? 1 : 0);
    }
  }
}

TEST_F(MixedUnitsTest, AStepOfHolesIsEmpty) {
  const std::vector<SequenceRef> holes = {{ChunkIndex{holed}, kHole},
                                          {ChunkIndex{narrow_holed}, kHole}};
  const WorkItem& item = packed({holes, {{ChunkIndex{narrow_values}, 0}}});
  EXPECT_EQ(item.packed[0].minibatch.sequence_count(), 0);
  expect_sequences(item.packed[0], holes);
  expect_sequences(item.packed[1], {{ChunkIndex{narrow_values}, 0}});
}

}  // namespace
}  // namespace sheaf::internal
