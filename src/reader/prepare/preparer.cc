#include "reader/prepare/preparer.h"

#include <algorithm>
#include <cstddef>

#include "reader/fetch/wide_values.h"
#include "reader/schedule.h"

namespace sheaf::internal {
namespace {

/// Calls visit(number, unit, sequence) for the sequences of a part, without those of units that
/// could not be read, and without holes. `number` counts from the start of the plan, and `sequence`
/// from the start of the chunk.
template <typename Visit>
void for_each_sequence(const Slot& slot, const PreparedPart& part, const Visit& visit) {
  std::int64_t number = 0;  // of the first sequence of the run
  for (const SequenceRun& run : slot.plan.runs) {
    if (number + run.count <= part.first) {
      number += run.count;
      continue;
    }
    const Unit& unit = *slot.units[static_cast<std::size_t>(run.use)];
    const std::int64_t begin = std::max(part.first, number);
    const std::int64_t end = std::min(part.first + part.count, number + run.count);
    for (std::int64_t i = begin; i < end && unit.error == nullptr; ++i) {
      const std::int64_t sequence = run.first + i - number;
      if (!unit.chunk->rows().is_hole(unit.place_of(sequence))) visit(i, unit, sequence);
    }
    number += run.count;
    if (number >= part.first + part.count) return;
  }
}

/// Gives the sequences of a part, in order, with the values of narrow columns.
class Sources {
 public:
  Sources(const Slot& slot, PreparedPart& part, std::span<const Stream> streams)
      : wide_(part.wide) {
    if (std::ranges::none_of(slot.units, is_narrow)) return;
    WideValues values(streams);
    for_each_sequence(slot, part, [&](std::int64_t, const Unit& unit, std::int64_t sequence) {
      if (unit.chunk->is_narrow()) values.add(*unit.chunk, unit.place_of(sequence), 1);
    });
    if (values.size() > 0) wide_ = values.take();
  }

  /// Writes the views of the streams of the next sequence to `views`.
  ///
  /// Pre: `unit` and `sequence` are what for_each_sequence() gives, in order.
  void get_next(const Unit& unit, std::int64_t sequence, std::vector<SequenceView>& views) {
    const std::int64_t stream_count = unit.chunk->stream_count();
    views.assign(static_cast<std::size_t>(stream_count), {});
    const bool is_narrow = unit.chunk->is_narrow();
    const Chunk& chunk = is_narrow ? *wide_ : unit.chunk->rows();
    const std::int64_t place = is_narrow ? next_wide_++ : unit.place_of(sequence);
    for (std::int64_t s = 0; s < stream_count; ++s) {
      chunk.write_views(s, place, 1, &views[static_cast<std::size_t>(s)]);
    }
  }

 private:
  static bool is_narrow(const Unit* unit) noexcept {
    return unit->error == nullptr && unit->chunk->is_narrow();
  }

  std::optional<Chunk>& wide_;
  std::int64_t next_wide_ = 0;
};

}  // namespace

void Preparer::prepare(const Slot& slot, PreparedPart& part) const noexcept {
  try {
    const std::size_t stream_count = chain_.streams().size();
    part.views.resize(static_cast<std::size_t>(part.count) * stream_count);
    part.keys.resize(static_cast<std::size_t>(part.count));
    part.key_texts.resize(static_cast<std::size_t>(part.count));
    part.sample_counts.resize(static_cast<std::size_t>(part.count));
    if (chain_.batch() == Transform::Batch::one) {
      prepare_one_by_one(slot, part);
    } else {
      prepare_together(slot, part);
    }
  } catch (...) {  // no memory
    part.error = std::current_exception();
    part.failed = part.first;
  }
}

// Without the sources. Notes the key in the part.
TransformChain::Call Preparer::call_of(const Slot& slot, PreparedPart& part, std::int64_t number,
                                       const Unit& unit, std::int64_t sequence) const {
  const std::size_t stream_count = chain_.streams().size();
  const auto in_plan = static_cast<std::size_t>(number);
  const auto in_part = static_cast<std::size_t>(number - part.first);
  TransformChain::Call call;
  call.sequence = {.key = unit.use.cut->key(sequence),
                   .key_text = unit.chunk->rows().key_text(unit.place_of(sequence)),
                   .sweep = slot.plan.sweeps[in_plan],
                   .takes_strides = takes_strides_};
  part.keys[in_part] = call.sequence.key;
  part.key_texts[in_part] = call.sequence.key_text;
  if (!slot.plan.slices.empty() && slot.plan.slices[in_plan].count != SampleRange::kAll) {
    call.slice = slot.plan.slices[in_plan];
    call.sequence.needs_equal_streams = slot.plan.needs_equal_streams;
  }
  call.results = std::span(part.views).subspan(in_part * stream_count, stream_count);
  return call;
}

void Preparer::prepare_one_by_one(const Slot& slot, PreparedPart& part) const {
  Sources all(slot, part, chain_.sources());
  std::vector<SequenceView> sources;
  TransformChain::Scratch scratch;
  for_each_sequence(slot, part, [&](std::int64_t number, const Unit& unit, std::int64_t sequence) {
    if (part.error != nullptr) return;
    const TransformChain::Call call = call_of(slot, part, number, unit, sequence);
    all.get_next(unit, sequence, sources);
    try {
      part.sample_counts[static_cast<std::size_t>(number - part.first)] =
          chain_.apply(call.sequence, sources, call.slice, call.results, part.memory, scratch);
    } catch (...) {
      part.error = std::current_exception();
      part.failed = number;
    }
  });
}

void Preparer::prepare_together(const Slot& slot, PreparedPart& part) const {
  Sources all(slot, part, chain_.sources());
  std::vector<TransformChain::Call> calls;
  std::vector<std::int64_t> numbers;               // of the sequences, within the plan
  std::vector<std::vector<SequenceView>> sources;  // of the sequences
  for_each_sequence(slot, part, [&](std::int64_t number, const Unit& unit, std::int64_t sequence) {
    calls.push_back(call_of(slot, part, number, unit, sequence));
    all.get_next(unit, sequence, sources.emplace_back());
    numbers.push_back(number);
  });
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].sources = sources[i];
  chain_.apply_many(calls, part.memory);
  for (std::size_t i = 0; i < calls.size() && part.error == nullptr; ++i) {
    part.sample_counts[static_cast<std::size_t>(numbers[i] - part.first)] = calls[i].longest;
    part.error = calls[i].error;
    part.failed = numbers[i];
  }
}

}  // namespace sheaf::internal
