#include "reader/prepare/preparer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/prefetch.h"
#include "reader/fetch/wide_values.h"
#include "reader/schedule.h"

namespace sheaf::internal {
namespace {

/// Calls visit(number, unit, sequence) for the sequences of a part, except holes and sequences of
/// units that could not be read. `number` counts from the start of the plan, and `sequence` from
/// the start of the chunk.
template <typename Visit>
void for_each_sequence(const WorkItem& item, const PreparedRun& part, const Visit& visit) {
  std::int64_t number = 0;  // number of the run's first sequence
  for (const SequenceRun& run : item.plan.runs) {
    if (number + run.count <= part.first) {
      number += run.count;
      continue;
    }
    const Unit& unit = *item.units[static_cast<std::size_t>(run.use)];
    const std::int64_t begin = std::max(part.first, number);
    const std::int64_t end = std::min(part.first + part.count, number + run.count);
    for (std::int64_t i = begin; i < end && unit.error == nullptr; ++i) {
      const std::int64_t sequence = run.first + i - number;
      if (!unit.chunk->rows().is_hole(unit.index_in_chunk(sequence))) visit(i, unit, sequence);
    }
    number += run.count;
    if (number >= part.first + part.count) return;
  }
}

void note_warnings(PreparedRun& part, std::int64_t number,
                   std::vector<TransformDiagnostic>& warnings) {
  for (TransformDiagnostic& warning : warnings) {
    part.findings.push_back({.number = number, .found = std::move(warning)});
  }
  warnings.clear();
}

void note_hole(PreparedRun& part, std::int64_t number, TransformDiagnostic finding) {
  part.findings.push_back({.number = number, .found = std::move(finding)});
  part.holes.push_back(number);
}

constexpr std::int64_t kNearRun = 4;  // in sequences; longer runs need no prefetching

/// The sequences of a part, in order, with a view of each stream of the data.
class Sources {
 public:
  struct Sequence {
    std::int64_t number = 0;  // within the plan
    const Unit* unit = nullptr;
    std::int64_t in_chunk = 0;  // number within the index's chunk
  };

  Sources(const WorkItem& item, PreparedRun& part, std::span<const Stream> streams)
      : stream_count_(streams.size()) {
    sequences_.reserve(static_cast<std::size_t>(part.count));
    bool has_narrow = false;
    for_each_sequence(item, part,
                      [&](std::int64_t number, const Unit& unit, std::int64_t in_chunk) {
                        sequences_.push_back({number, &unit, in_chunk});
                        has_narrow |= unit.chunk->is_narrow();
                      });
    // Scattered sequences are not in the processor's caches, so each pass over them prefetches the
    // data of the next pass.
    const bool is_scattered =
        item.plan.steps.back().sequence <= kNearRun * std::ssize(item.plan.runs);
    if (is_scattered) {
      for (const Sequence& each : sequences_) {
        each.unit->chunk->prefetch(each.unit->index_in_chunk(each.in_chunk), false);
      }
    }
    if (has_narrow) widen(part, streams);
    views_.resize(sequences_.size() * stream_count_);
    SequenceView* out = views_.data();
    std::int64_t next_wide = 0;
    for (const Sequence& each : sequences_) {
      const bool is_narrow = each.unit->chunk->is_narrow();
      const Chunk& chunk = is_narrow ? *part.wide : each.unit->chunk->rows();
      const std::int64_t row = is_narrow ? next_wide++ : each.unit->index_in_chunk(each.in_chunk);
      for (std::size_t s = 0; s < stream_count_; ++s) {
        chunk.write_views(static_cast<std::int64_t>(s), row, 1, out++);
      }
    }
    if (is_scattered && !item.plan.slices.empty()) prefetch_offsets(item.plan.slices);
  }

  [[nodiscard]] std::span<const Sequence> sequences() const noexcept { return sequences_; }

  /// Returns the views of a sequence, given by its number among sequences().
  [[nodiscard]] std::span<const SequenceView> views(std::size_t i) const noexcept {
    return std::span(views_).subspan(i * stream_count_, stream_count_);
  }

 private:
  void widen(PreparedRun& part, std::span<const Stream> streams) const {
    WideValues values(streams);
    for (const Sequence& each : sequences_) {
      const Unit& unit = *each.unit;
      if (unit.chunk->is_narrow()) values.add(*unit.chunk, unit.index_in_chunk(each.in_chunk), 1);
    }
    part.wide = values.take();
  }

  // Prefetches the offsets of the first sample, from which values are counted, and of the slice's
  // samples, which may lie far behind.
  void prefetch_offsets(std::span<const SampleRange> slices) const noexcept {
    constexpr std::int64_t kSize = sizeof(std::int64_t);
    const SequenceView* view = views_.data();
    for (const Sequence& each : sequences_) {
      const SampleRange& slice = slices[static_cast<std::size_t>(each.number)];
      for (std::size_t s = 0; s < stream_count_; ++s, ++view) {
        if (view->sample_offsets == nullptr || slice.first >= view->sample_count) continue;
        const std::int64_t count = std::min(slice.count, view->sample_count - slice.first);
        prefetch(view->sample_offsets, kSize);
        prefetch(view->sample_offsets + slice.first, (count + 1) * kSize);
      }
    }
  }

  std::size_t stream_count_;
  std::vector<Sequence> sequences_;
  std::vector<SequenceView> views_;  // [sequence][stream]
};

}  // namespace

void Preparer::prepare(const WorkItem& item, PreparedRun& part) const noexcept {
  try {
    const std::size_t stream_count = chain_.streams().size();
    part.views.resize(static_cast<std::size_t>(part.count) * stream_count);
    part.keys.resize(static_cast<std::size_t>(part.count));
    part.key_texts.resize(static_cast<std::size_t>(part.count));
    part.sample_counts.resize(static_cast<std::size_t>(part.count));
    if (chain_.batch() == Transform::Batch::one) {
      prepare_one_by_one(item, part);
    } else {
      prepare_together(item, part);
    }
  } catch (...) {  // out of memory
    part.error = std::current_exception();
    part.failed = part.first;
  }
}

// Returns a call without its sources. Stores the key in the part.
TransformChain::Call Preparer::call_of(const WorkItem& item, PreparedRun& part, std::int64_t number,
                                       const Unit& unit, std::int64_t sequence) const {
  const std::size_t stream_count = chain_.streams().size();
  const auto in_plan = static_cast<std::size_t>(number);
  const auto in_part = static_cast<std::size_t>(number - part.first);
  TransformChain::Call call;
  call.sequence = {.key = unit.use.cut->key(sequence),
                   .key_text = unit.chunk->rows().key_text(unit.index_in_chunk(sequence)),
                   .sweep = item.plan.sweeps[in_plan],
                   .takes_strides = takes_strides_};
  if (chain_.ordered_count() > 0) {
    call.sequence.drawn = &item.drawn;
    call.sequence.drawn_first = in_plan * chain_.ordered_count();
  }
  part.keys[in_part] = call.sequence.key;
  part.key_texts[in_part] = call.sequence.key_text;
  if (!item.plan.slices.empty() && item.plan.slices[in_plan].count != SampleRange::kAll) {
    call.slice = item.plan.slices[in_plan];
    call.sequence.needs_equal_streams = item.plan.needs_equal_streams;
  }
  call.results = std::span(part.views).subspan(in_part * stream_count, stream_count);
  return call;
}

void Preparer::prepare_one_by_one(const WorkItem& item, PreparedRun& part) const {
  const Sources all(item, part, chain_.sources());
  TransformChain::Scratch scratch;
  for (std::size_t i = 0; i < all.sequences().size(); ++i) {
    const Sources::Sequence& each = all.sequences()[i];
    const TransformChain::Call call = call_of(item, part, each.number, *each.unit, each.in_chunk);
    try {
      part.sample_counts[static_cast<std::size_t>(each.number - part.first)] =
          chain_.apply(call.sequence, all.views(i), call.slice, call.results, part.memory, scratch);
      note_warnings(part, each.number, scratch.warnings);
    } catch (WrongSequence& wrong) {
      note_hole(part, each.number, std::move(wrong.finding));
    } catch (...) {
      part.error = std::current_exception();
      part.failed = each.number;
      return;
    }
  }
}

void Preparer::prepare_together(const WorkItem& item, PreparedRun& part) const {
  const Sources all(item, part, chain_.sources());
  std::vector<TransformChain::Call> calls;
  calls.reserve(all.sequences().size());
  for (std::size_t i = 0; i < all.sequences().size(); ++i) {
    const Sources::Sequence& each = all.sequences()[i];
    TransformChain::Call& call =
        calls.emplace_back(call_of(item, part, each.number, *each.unit, each.in_chunk));
    call.sources = all.views(i);
  }
  chain_.apply_many(calls, part.memory);
  for (std::size_t i = 0; i < calls.size() && part.error == nullptr; ++i) {
    const std::int64_t number = all.sequences()[i].number;
    part.sample_counts[static_cast<std::size_t>(number - part.first)] = calls[i].longest;
    note_warnings(part, number, calls[i].warnings);
    if (calls[i].error == nullptr) continue;
    try {
      std::rethrow_exception(calls[i].error);
    } catch (WrongSequence& wrong) {
      note_hole(part, number, wrong.finding);
    } catch (...) {
      part.error = calls[i].error;
      part.failed = number;
    }
  }
}

// Holes draw nothing, and do not count in the numbering of the minibatch: CNTK removes wrong
// sequences before its transforms.
void Preparer::draw(WorkItem& item, ChainDraws& draws) const {
  PreparedRun all;
  all.count = item.plan.steps.back().sequence;
  const Sources sources(item, all, chain_.sources());
  std::size_t next = 0;  // index among the existing sequences
  std::int64_t number = 0;
  for (const StepEnd& step : item.plan.steps) {
    for (std::int64_t in_minibatch = 0; number < step.sequence; ++number) {
      const bool is_there =
          next < sources.sequences().size() && sources.sequences()[next].number == number;
      const auto views = is_there ? sources.views(next) : std::span<const SequenceView>{};
      if (draws.draw(in_minibatch, views, item.drawn)) ++in_minibatch;
      if (is_there) ++next;
    }
    item.draws.push_back(draws.state());
  }
}

}  // namespace sheaf::internal
