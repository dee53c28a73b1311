#include "ops/chunk_steps.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::internal {

/// A chunk and the number of sequences before it.
struct ChunkSteps::Cursor final : OrderCursor {
  ChunkIndex chunk{};
  std::int64_t first_sequence = 0;
  std::int64_t sequence_count = -1;  // of the chunk; -1 means not known yet
};

ChunkSteps::ChunkSteps(std::shared_ptr<const Counts> counts, std::int64_t sample_count_max) noexcept
    : counts_(std::move(counts)), sample_count_max_(sample_count_max) {}

std::unique_ptr<OrderCursor> ChunkSteps::make_cursor() const { return std::make_unique<Cursor>(); }

std::optional<Step> ChunkSteps::step(const Place& from, OrderCursor& order_cursor,
                                     const StepRoom& room) const {
  if (from.sweep > 0) return std::nullopt;
  auto* const cursor = dynamic_cast<Cursor*>(&order_cursor);
  if (cursor == nullptr) throw InternalError("order: the cursor of another order");
  if (cursor->sequence_count < 0 || from.sequence < cursor->first_sequence) *cursor = Cursor();
  while (cursor->sequence_count < 0 ||
         from.sequence >= cursor->first_sequence + cursor->sequence_count) {
    const bool is_first = cursor->sequence_count < 0;
    const ChunkIndex chunk = is_first ? cursor->chunk : next(cursor->chunk);
    const std::optional<ChunkCounts> found = counts_->chunk_counts(chunk);
    if (!found) return std::nullopt;
    if (!is_first) cursor->first_sequence += cursor->sequence_count;
    cursor->chunk = chunk;
    cursor->sequence_count = found->sequence_count;
  }
  const SampleCounts samples = counts_->sample_counts(cursor->chunk);
  Step step;
  const std::int64_t first = from.sequence - cursor->first_sequence;
  std::int64_t number = first;
  for (; number < cursor->sequence_count; ++number) {
    const std::int64_t count = samples[number];
    if (number > first && count > sample_count_max_ - step.sample_count) break;
    step.sample_count += count;
  }
  room.check(number - first);
  step.sequences.reserve(static_cast<std::size_t>(number - first));  // the capacity is limited
  for (std::int64_t i = first; i < number; ++i) step.sequences.push_back({cursor->chunk, i});
  if (number == cursor->sequence_count) {
    step.passed.push_back({cursor->chunk});
    step.ends_sweep = step.ends_epoch = !counts_->chunk_counts(next(cursor->chunk)).has_value();
  }
  if (step.ends_sweep) {
    step.next = {.epoch = 1, .sweep = 1};
    return step;
  }
  step.next = {.sequence = cursor->first_sequence + number,
               .sample = from.sample + step.sample_count};
  return step;
}

bool ChunkEnds::add(std::int64_t sequence_count) {
  come_ += sequence_count;
  const std::optional<ChunkCounts> chunk = counts_.chunk_counts(chunk_);
  if (!chunk || come_ < chunk->sequence_count) return false;
  const ChunkIndex ended = std::exchange(chunk_, next(chunk_));
  come_ = 0;
  return !ends_input_ || ends_input_(ended);
}

}  // namespace sheaf::internal
