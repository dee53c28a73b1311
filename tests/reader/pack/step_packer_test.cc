#include "reader/pack/step_packer.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "reader/run_all.h"
#include "support/error_of.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::WrittenSequencer;

/// Slots of steps that were written down, over two chunks of four sequences.
class StepPackerTest : public ::testing::Test {
 protected:
  StepPackerTest() {
    sheaf::testing::FakeData data;
    data.lengths.assign(2, {1, 2, 3, 4});
    data_ = sheaf::testing::fake(data);
    const std::span<const Stream> streams = data_->streams();
    streams_ = std::make_shared<const std::vector<Stream>>(streams.begin(), streams.end());
  }

  /// All steps of the plan in one slot, with units that were read.
  Slot slot_of(const std::vector<sheaf::testing::WrittenStep>& steps) {
    const WrittenSequencer sequencer(steps);
    Planner planner(*data_, sequencer, *packer_, {});
    Slot slot;
    slot.plan = *planner.next(std::ssize(steps));
    for (const UnitUse& use : slot.plan.units) {
      Unit& unit = *units_.emplace_back(std::make_unique<Unit>(use));
      Diagnostics diagnostics;
      Chunk chunk = data_->read({use.cut->chunk(), unit.first, unit.count}, diagnostics);
      unit.set_content(std::move(chunk), std::move(diagnostics), *streams_);
      slot.units.push_back(&unit);
    }
    return slot;
  }

  StepPacker step_packer(const Packer& packer) const {
    return {packer, nullptr, streams_, run_, default_memory()};
  }

  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::shared_ptr<const RunIdentity> run_ = std::make_shared<const RunIdentity>();
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::vector<std::unique_ptr<Unit>> units_;
};

constexpr ChunkIndex kFirst{0};
constexpr ChunkIndex kSecond{1};

TEST_F(StepPackerTest, GivesAMinibatchForEachStepWithItsPosition) {
  Slot slot = slot_of({{.sequences = {{kFirst, 3}, {kSecond, 0}}, .load = {{kFirst}, {kSecond}}},
                       {.sequences = {{kFirst, 1}}}});
  ASSERT_EQ(slot.plan.steps.size(), 2U);
  slot.plan.steps[1].ends_sweep = true;
  step_packer(*packer_).pack_all(slot);
  ASSERT_EQ(slot.packed.size(), 2U);
  const Minibatch& first = slot.packed[0].minibatch;
  EXPECT_EQ(first.sequence_count(), 2);
  EXPECT_EQ(first.sample_count(), 5);
  EXPECT_FALSE(first.ends_sweep);
  EXPECT_EQ(first.position.place.sequence, 1);
  EXPECT_EQ(first.position.run, run_);
  const Minibatch& second = slot.packed[1].minibatch;
  EXPECT_EQ(second.sequence_count(), 1);
  EXPECT_TRUE(second.ends_sweep);
  EXPECT_EQ(second.position.place.sequence, 2);
}

TEST_F(StepPackerTest, KeepsWhatCameBeforeAUnitThatFailed) {
  Slot slot = slot_of(
      {{.sequences = {{kFirst, 3}}, .load = {{kFirst}, {kSecond}}}, {.sequences = {{kSecond, 1}}}});
  ASSERT_EQ(slot.units.size(), 2U);
  slot.units[1]->error = std::make_exception_ptr(IoError("made-up: no byte"));
  EXPECT_THROW(step_packer(*packer_).pack_all(slot), IoError);
  EXPECT_EQ(slot.packed.size(), 1U);
}

}  // namespace
}  // namespace sheaf::internal
