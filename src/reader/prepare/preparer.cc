#include "reader/prepare/preparer.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "reader/schedule.h"

namespace sheaf::internal {
namespace {

/// Calls visit(number, unit, sequence) for the sequences [first, first + count) of a plan. `number`
/// counts from the start of the plan, and `sequence` from the start of the chunk.
template <typename Visit>
void for_each_sequence(const Slot& slot, std::int64_t first, std::int64_t count,
                       const Visit& visit) {
  std::int64_t number = 0;  // of the first sequence of the run
  for (const SequenceRun& run : slot.plan.runs) {
    const Unit& unit = *slot.units[static_cast<std::size_t>(run.use)];
    const std::int64_t begin = std::max(first, number);
    const std::int64_t end = std::min(first + count, number + run.count);
    for (std::int64_t i = begin; i < end; ++i) visit(i, unit, run.first + i - number);
    number += run.count;
    if (number >= first + count) return;
  }
}

}  // namespace

void Preparer::prepare(const Slot& slot, PreparedPart& part) const noexcept {
  std::int64_t number = part.first;
  try {
    const StepPlan& plan = slot.plan;
    const std::size_t stream_count = chain_.streams().size();
    part.views.resize(static_cast<std::size_t>(part.count) * stream_count);
    part.sample_counts.resize(static_cast<std::size_t>(part.count));
    std::vector<SequenceView> sources;
    TransformChain::Scratch scratch;
    for_each_sequence(
        slot, part.first, part.count,
        [&](std::int64_t i, const Unit& unit, std::int64_t sequence) {
          number = i;
          if (unit.error != nullptr) return;
          const std::int64_t in_chunk = unit.place_of(sequence);
          if (unit.chunk->is_hole(in_chunk)) return;
          sources.resize(static_cast<std::size_t>(unit.chunk->stream_count()));
          for (std::size_t s = 0; s < sources.size(); ++s) {
            sources[s] = unit.chunk->view(static_cast<std::int64_t>(s), in_chunk);
          }
          const auto in_plan = static_cast<std::size_t>(i);
          const auto in_part = static_cast<std::size_t>(i - part.first);
          std::optional<SampleRange> slice;
          if (!plan.slices.empty()) slice = plan.slices[in_plan];
          part.sample_counts[in_part] = chain_.apply(
              {.key = unit.use.cut->key(sequence),
               .key_text = unit.chunk->key_text(in_chunk),
               .sweep = plan.sweeps[in_plan]},
              sources, slice, std::span(part.views).subspan(in_part * stream_count, stream_count),
              part.memory, scratch);
        });
  } catch (...) {
    part.error = std::current_exception();
    part.failed = number;
  }
}

}  // namespace sheaf::internal
