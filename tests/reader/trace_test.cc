// Follows six steps from the plan to the delivery, as docs/architecture.md describes them.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/ledger.h"
#include "reader/plan/planner.h"
#include "reader/run_all.h"
#include "reader/schedule.h"

namespace sheaf::internal {
namespace {

std::string name_of(ChunkIndex chunk) {
  return std::string(1, static_cast<char>('A' + static_cast<std::int64_t>(chunk)));
}

/// Returns "A0-2" for sequences 0 and 1 of chunk A.
std::string name_of(const Unit& unit) {
  return name_of(unit.use.cut->chunk()) + std::to_string(unit.first) + "-" +
         std::to_string(unit.first + unit.count);
}

std::string names_of(const std::vector<ChunkRange>& ranges) {
  std::string names;
  for (const ChunkRange& range : ranges) names += " " + name_of(range.chunk);
  return names.empty() ? " nothing" : names;
}

const char* name_of(UnitState state) {
  switch (state) {
    case UnitState::asked:
      return "asked";
    case UnitState::pinned:
      return "pinned";
    case UnitState::kept:
      return "kept";
    case UnitState::idle:
      break;
  }
  return "idle";
}

/// Three chunks of four sequences, with two sequences in a unit. The order is "cntk" with a window
/// of two chunks. One thread makes six minibatches of two sequences. It plans a step when the step
/// before is delivered.
class Trace {
 public:
  Trace() : schedule_(ledger_, 1) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / 2;
    data.lengths.assign(3, {1, 1, 1, 1});
    const auto deserializer = sheaf::testing::fake(data);
    const std::shared_ptr<const Counts> counts(deserializer, &deserializer->index());
    const auto sequencer = make_sequencer(counts, {.minibatch_size = 2,
                                                   .unit = MinibatchUnit::sequences,
                                                   .sweeps = 1,
                                                   .algorithm = OrderAlgorithm::cntk,
                                                   .seed = 3,
                                                   .window_chunks = 2});
    const auto packer = padded_packer();
    Planner planner(*deserializer, *sequencer, *packer, {});
    for (std::int64_t step = 0; step < 6; ++step) {
      plan(step, *planner.next());
      while (schedule_.front() != nullptr) work();
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void plan(std::int64_t step, StepPlan plan) {
    text_ += "plan     step " + std::to_string(step) + " takes";
    for (const SequenceRun& run : plan.runs) {
      for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
        const UnitUse& use = plan.units[static_cast<std::size_t>(run.use)];
        text_ += " " + name_of(use.cut->chunk()) + std::to_string(i);
      }
    }
    text_ += "; enters" + names_of(plan.load) + "; leaves" + names_of(plan.release) + "\n";
    schedule_.append(std::move(plan), 0);
  }

  void work() {
    schedule_.advance();
    if (schedule_.front_is_known()) {
      const WorkItem item = schedule_.pop_front();
      text_ += "deliver  step " + std::to_string(item.number) + states() + "\n";
      static_cast<void>(schedule_.end_delivery());
    } else if (WorkItem* const item = schedule_.take_pack()) {
      schedule_.finish_pack(*item);
      text_ += "pack     step " + std::to_string(item->number) + "\n";
    } else if (Unit* const unit = schedule_.take_read()) {
      units_.push_back(unit);
      text_ += "fetch    " + name_of(*unit) + "\n";
      schedule_.finish_read(*unit, 1000);
    }
  }

  /// Returns the states of the units in memory.
  std::string states() {
    for (const auto& dropped : schedule_.take_dropped()) {
      std::erase(units_, dropped.get());
      schedule_.note_destroyed(dropped->memory.held_bytes());
    }
    std::string text;
    for (const Unit* const unit : units_) {
      text += (text.empty() ? "; then " : ", ") + name_of(*unit) + " " + name_of(unit->state);
    }
    return text.empty() ? "; then no unit is there" : text;
  }

  Ledger ledger_;
  Schedule schedule_;
  std::vector<Unit*> units_;  // read, and not dropped
  std::string text_;
};

TEST(Trace, MatchesTheDocumentedTrace) {
  std::ifstream page(SHEAF_CASES_DIR "/../../docs/architecture.md");
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  const std::string trace = Trace().text();
  EXPECT_NE(text.find("```text\n" + trace + "```"), std::string::npos)
      << "docs/architecture.md has another trace than this:\n"
      << trace;
}

}  // namespace
}  // namespace sheaf::internal
