#include "reader/pack/step_packer.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/equal_streams.h"
#include "dataset/transformed_data.h"
#include "packer/variable_rows.h"
#include "reader/fetch/wide_values.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kLongRun = 4;  // in sequences; longer runs need no prefetching

std::span<const SequenceRun> runs_of(const StepPlan& plan, std::size_t step) noexcept {
  const std::int64_t first = step == 0 ? 0 : plan.steps[step - 1].run;
  return std::span(plan.runs).subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(plan.steps[step].run - first));
}

SequenceSlice slice_of(const SampleRange& range, std::int64_t sample_count) noexcept {
  const bool is_whole = range.count == SampleRange::kAll;
  return {range.first, is_whole ? sample_count : range.count, sample_count};
}

// Returns whether each sequence of the plan is one frame. Pieces of truncated sequences have slots,
// and pieces of long sequences need equal streams.
bool splits_frames(const StepPlan& plan) noexcept {
  return !plan.slices.empty() && plan.slots.empty() && !plan.needs_equal_streams;
}

// Returns the part of a sequence, given by its number within the plan.
const PreparedRun& part_of(const WorkItem& item, std::int64_t number) noexcept {
  return **std::prev(std::ranges::upper_bound(item.parts, number, {},
                                              [](const auto& each) { return each->first; }));
}

// Throws: ConfigError if the streams of a sequence have different lengths.
void check_equal_streams(const SequenceKey& key, const HeldChunk& chunk, std::int64_t sequence,
                         std::span<const Stream> streams) {
  EqualStreams check;
  for (std::int64_t s = 0; s < chunk.stream_count(); ++s) {
    if (const auto count = chunk.sample_count(s, sequence)) check.add(*count, s);
  }
  if (!check.is_equal()) check.refuse(key, chunk.rows().key_text(sequence), streams);
}

}  // namespace

void StepPacker::pack_all(WorkItem& item) const {
  const std::size_t step_count = item.plan.steps.size();
  if (preparer_ && item.parts.empty()) {
    item.parts.push_back(std::make_unique<PreparedRun>());
    item.parts.back()->count = item.plan.steps.back().sequence;
    preparer_->prepare(item, *item.parts.back());
  }
  item.packed.reserve(step_count);
  PackingScratch rooms(streams_);
  rooms.set_units(item);
  rooms.notes_costs = notes_costs_;
  if (source_.index().mixture() != nullptr) rooms.member_ends = source_.index().member_ends();
  const auto prefetch = [&](std::size_t step, bool samples) {
    if (item.parts.empty()) rooms.prefetch(item.plan, step, samples);  // prepared: no lookup
  };
  prefetch(0, false);
  prefetch(1, false);
  prefetch(0, true);
  for (std::size_t step = 0; step < step_count; ++step) {
    prefetch(step + 2, false);
    prefetch(step + 1, true);
    item.packed.push_back(pack(item, step, rooms));
  }
}

StepPacker::UnitLookup::UnitLookup(const Unit& unit) noexcept
    : cut(unit.use.cut), chunk(unit.chunk.get()), shift(unit.index_in_chunk(0)) {
  if (chunk == nullptr) return;
  if (!chunk->is_narrow()) rows = &chunk->rows();
  is_plain =
      unit.error == nullptr && unit.diagnostics.entries().empty() && chunk->rows().holes().empty();
}

void StepPacker::PackingScratch::set_units(const WorkItem& item) {
  units.reserve(item.units.size());
  for (const Unit* const unit : item.units) {
    const UnitLookup& lookup = units.emplace_back(*unit);
    has_sequence_numbers |= lookup.chunk != nullptr && lookup.chunk->has_sequence_numbers();
    is_plain &= lookup.is_plain;
  }
}

// A random order takes sequences from all over memory. So this function prefetches the offsets of
// all sequences before the first one is used: first the offsets of sequences, then the offsets of
// samples.
void StepPacker::PackingScratch::prefetch(const StepPlan& plan, std::size_t step,
                                          bool samples) const {
  if (step >= plan.steps.size() || (!samples && !has_sequence_numbers)) return;
  const std::span<const SequenceRun> step_runs = runs_of(plan, step);
  const StepEnd before = step == 0 ? StepEnd() : plan.steps[step - 1];
  const std::int64_t sequence_count = plan.steps[step].sequence - before.sequence;
  if (sequence_count > kLongRun * std::ssize(step_runs)) return;
  for (const SequenceRun& run : step_runs) {
    const UnitLookup& unit = units[static_cast<std::size_t>(run.use)];
    if (unit.chunk != nullptr) unit.chunk->prefetch(run.first + unit.shift, samples);
  }
}

StepPacker::PackingScratch::Plain StepPacker::PackingScratch::count_plain(
    std::span<const SequenceRun> plan_runs, std::size_t sequence_count) const noexcept {
  if (is_plain) return {plan_runs.size(), sequence_count};
  Plain plain;
  for (const SequenceRun& run : plan_runs) {
    if (!units[static_cast<std::size_t>(run.use)].is_plain) break;
    plain.sequence_count += static_cast<std::size_t>(run.count);
    ++plain.run_count;
  }
  return plain;
}

void StepPacker::PackingScratch::add(std::span<const SequenceRun> plan_runs, const Plain& plain) {
  keys.resize(keys.size() + plain.sequence_count);
  runs.resize(runs.size() + plain.run_count);
  SequenceKey* key = keys.data() + keys.size() - plain.sequence_count;
  ChunkRun* out = runs.data() + runs.size() - plain.run_count;
  for (const SequenceRun& run : plan_runs.first(plain.run_count)) {
    const UnitLookup& unit = units[static_cast<std::size_t>(run.use)];
    const std::int64_t first = run.first + unit.shift;
    for (std::int64_t i = 0; i < run.count; ++i) *key++ = unit.cut->key(run.first + i);
    if (unit.rows == nullptr) wide.add(*unit.chunk, first, run.count);
    *out++ = {unit.rows, first, run.count};
  }
}

void StepPacker::PackingScratch::clear() noexcept {
  list.clear();
  keys.clear();
  runs.clear();
  wide.clear();
  pieces.clear();
  piece_numbers.clear();
  chunks.clear();
  offered.clear();
  slices.clear();
  members.clear();
  costs.clear();
}

void StepPacker::PackingScratch::note_origin(std::int64_t use, std::int64_t first,
                                             std::int64_t count) {
  const RangeCut& cut = *units[static_cast<std::size_t>(use)].cut;
  if (notes_costs) {
    for (std::int64_t i = 0; i < count; ++i) costs.push_back(cut.cost(first + i));
  }
  if (member_ends.empty()) return;
  const auto chunk = static_cast<std::int64_t>(cut.chunk());
  const auto member = std::ranges::upper_bound(member_ends, chunk) - member_ends.begin();
  members.insert(members.end(), static_cast<std::size_t>(count), member);
}

// Runs of narrow columns have no chunk until they are widened.
void StepPacker::PackingScratch::add_waiting() {
  if (runs.empty()) return;
  if (const std::int64_t wide_count = wide.size(); wide_count > 0) {
    const Chunk& widened = chunks.emplace_back(wide.take());
    if (wide_count == std::ssize(keys)) runs = {{&widened, 0, wide_count}};  // all runs are narrow
    std::int64_t first = 0;
    for (ChunkRun& run : runs) {
      if (run.chunk != nullptr) continue;
      run.chunk = &widened;
      run.first = std::exchange(first, first + run.count);
    }
  }
  list.add(keys, runs);
  keys.clear();
  runs.clear();
}

void StepPacker::PackingScratch::add_last(std::pmr::memory_resource& memory) {
  const bool is_wide = !runs.empty() && wide.size() == std::ssize(keys) && list.size() == 0;
  if (!is_wide) {
    add_waiting();
    return;
  }
  std::vector<bool> is_even;
  for (std::int64_t s = 0; s < std::ssize(*list.streams()); ++s) is_even.push_back(wide.is_even(s));
  Chunk& widened = chunks.emplace_back(wide.take(memory));
  list.add(keys, widened, 0);
  offered = widened.take_columns();
  for (std::size_t s = 0; s < offered.size(); ++s) {
    if (!is_even[s]) continue;
    Column& column = offered[s];
    const bool is_sparse = (*list.streams())[s].storage == Storage::sparse;
    list.offer(static_cast<std::int64_t>(s),
               {.values = &column.values, .indices = is_sparse ? &column.indices : nullptr});
  }
  keys.clear();
  runs.clear();
}

void StepPacker::PackingScratch::widen() {
  if (piece_numbers.empty()) return;
  const Chunk& widened = chunks.emplace_back(pieces.take());
  for (std::int64_t s = 0; s < widened.stream_count(); ++s) {
    for (std::int64_t i = 0; i < widened.sequence_count(); ++i) {
      list.set_view(s, piece_numbers[static_cast<std::size_t>(i)], widened.view(s, i));
    }
  }
}

void StepPacker::add(const WorkItem& item, const Unit& unit, std::int64_t sequence,
                     std::size_t number, PackingScratch& rooms) const {
  SequenceList& list = rooms.list;
  const std::vector<SampleRange>& slices = item.plan.slices;
  const SequenceKey key = unit.use.cut->key(sequence);
  const std::int64_t in_chunk = unit.index_in_chunk(sequence);
  if (item.plan.needs_equal_streams && slices[number].count != SampleRange::kAll) {
    check_equal_streams(key, *unit.chunk, in_chunk, *streams_);
  }
  const Chunk& rows = unit.chunk->rows();
  if (unit.chunk->is_narrow()) {
    const SampleRange range = slices.empty() ? SampleRange{0, SampleRange::kAll} : slices[number];
    std::int64_t whole_count = 0;
    rooms.views.clear();
    for (const HeldChunk::StoredSequence& piece : rooms.pieces.add(*unit.chunk, in_chunk, range)) {
      SequenceView& view = rooms.views.emplace_back();
      view.sample_count = piece.sample_count;  // without values, which widen() adds at the end
      view.is_present = piece.is_present;
      whole_count = std::max(whole_count, piece.whole_count);
    }
    rooms.piece_numbers.push_back(list.size());
    std::optional<SequenceSlice> slice;
    if (!slices.empty()) slice = slice_of(range, whole_count);
    std::optional<std::int64_t> slot_number;
    if (!item.plan.slots.empty()) slot_number = item.plan.slots[number];
    list.add(key, rows.key_text(in_chunk), rooms.views, slice, slot_number);
  } else if (slices.empty()) {
    list.add(key, rows, in_chunk);
  } else if (item.plan.slots.empty()) {
    list.add(key, rows, in_chunk, slices[number]);
  } else {
    list.add(key, rows, in_chunk, slices[number], item.plan.slots[number]);
  }
}

// Lists the prepared sequences [first, end), given by their numbers within the plan.
//
// Throws: what a transform threw for one of the sequences.
void StepPacker::add_prepared(const WorkItem& item, std::size_t first, std::size_t end,
                              PackingScratch& rooms) {
  const std::size_t stream_count = rooms.list.streams()->size();
  const StepPlan& plan = item.plan;
  auto part = std::prev(std::ranges::upper_bound(item.parts, static_cast<std::int64_t>(first), {},
                                                 [](const auto& each) { return each->first; }));
  while (first < end) {
    const PreparedRun& from = **part++;
    const auto part_first = static_cast<std::size_t>(from.first);
    const std::size_t stop = std::min(end, part_first + static_cast<std::size_t>(from.count));
    if (from.error != nullptr && from.failed < static_cast<std::int64_t>(stop)) {
      std::rethrow_exception(from.error);
    }
    const std::size_t in_part = first - part_first;
    const std::size_t count = stop - first;
    rooms.slices.clear();
    for (std::size_t i = 0; i < count && !plan.slices.empty(); ++i) {
      rooms.slices.push_back(slice_of(plan.slices[first + i], from.sample_counts[in_part + i]));
    }
    std::span<const std::int64_t> slots;
    if (!plan.slots.empty()) slots = std::span(plan.slots).subspan(first, count);
    rooms.list.add(std::span(from.keys).subspan(in_part, count),
                   std::span(from.key_texts).subspan(in_part, count),
                   std::span(from.views).subspan(in_part * stream_count, count * stream_count),
                   rooms.slices, slots);
    first = stop;
  }
}

// Reserves memory that the plan could not know. A plan does not know the extents of variable
// samples. `padded` pads each sample to the largest extents in the minibatch, and the result may be
// much larger than all samples together. A plan also knows only the lengths of the counted stream,
// and not the lengths of streams with keeps_together.
//
// Throws: ConfigError if the memory exceeds the limit.
void StepPacker::reserve_padding(WorkItem& item, const SequenceList& list) const {
  std::string largest;  // describes the largest stream, for the message
  double largest_bytes = 0;
  double padded_bytes = 0;
  std::vector<std::int64_t> sample_counts;
  for (std::size_t i = 0; i < streams_->size(); ++i) {
    const Stream& stream = (*streams_)[i];
    const bool pads_shapes = is_variable(stream) && packer_.pads_shapes();
    if (!pads_shapes && !stream.keeps_together) continue;
    const std::span<const SequenceView> views = list.views(static_cast<std::int64_t>(i));
    sample_counts.clear();
    for (const SequenceView& view : views) sample_counts.push_back(view.sample_count);
    const Shape row_shape = pads_shapes ? row_shape_of(stream, views) : stream.sample_shape;
    const std::int64_t row_count = packer_.stream_row_count(stream, sample_counts);
    const double bytes = static_cast<double>(row_count) * static_cast<double>(row_shape.size()) *
                         static_cast<double>(element_size(stream.element_type));
    padded_bytes += bytes;
    if (bytes <= largest_bytes) continue;
    largest_bytes = bytes;
    largest = pads_shapes
                  ? formatted("`padded` makes each sample of \"{}\" as large as {}", stream.name,
                              to_string(row_shape))
                  : formatted("the longest sequence of \"{}\" gives all their length", stream.name);
  }
  if (padded_bytes <= static_cast<double>(item.plan.packed_bytes)) return;
  const double needed_bytes = static_cast<double>(item.plan.needed_bytes) + padded_bytes;
  if (needed_bytes > static_cast<double>(memory_limit_bytes_)) {
    throw ConfigError(formatted(
        "memory_limit_bytes: {0} bytes are too few: this minibatch needs {1:.0f} bytes, since {2}; "
        "set the limit to {1:.0f} or more, make minibatches smaller, or take `ragged`",
        memory_limit_bytes_, needed_bytes, largest));
  }
  item.memory.reserve(item.memory.held_bytes() + static_cast<std::int64_t>(padded_bytes));
}

// The errors that reading found have the first numbers.
bool StepPacker::add_findings(const WorkItem& item, std::size_t number, const Unit& unit,
                              std::int64_t sequence, std::vector<SequenceError>& errors) const {
  const auto in_plan = static_cast<std::int64_t>(number);
  const PreparedRun& part = part_of(item, in_plan);
  const auto [begin, end] = unit.entries_of(sequence);
  auto in_sequence = static_cast<std::int64_t>(end - begin);
  auto finding =
      std::ranges::lower_bound(part.findings, in_plan, {}, &PreparedRun::Finding::number);
  for (; finding != part.findings.end() && finding->number == in_plan; ++finding) {
    Diagnostic diagnostic = located(finding->found, source_, unit.use.cut->chunk(), sequence);
    SequenceError error{.chunk = unit.use.cut->chunk(),
                        .sequence = sequence,
                        .number = in_sequence++,
                        .byte_offset = diagnostic.byte_offset,
                        .severity = diagnostic.severity,
                        .diagnostic = nullptr};
    error.diagnostic = std::make_shared<const Diagnostic>(std::move(diagnostic));
    errors.push_back(std::move(error));
  }
  return std::ranges::binary_search(part.holes, in_plan);
}

// Pre: the units of the step have been read; `rooms` has the units of the item.
Packed StepPacker::pack(WorkItem& item, std::size_t step, PackingScratch& rooms) const {
  const StepEnd& end = item.plan.steps[step];
  SequenceList& list = rooms.list;
  rooms.clear();
  std::vector<SequenceError> errors;
  std::int64_t hole_count = 0;
  std::size_t number =  // number of the sequence within the plan
      step == 0 ? 0 : static_cast<std::size_t>(item.plan.steps[step - 1].sequence);
  list.reserve(end.sequence - static_cast<std::int64_t>(number));
  rooms.keys.reserve(static_cast<std::size_t>(end.sequence) - number);
  // Whole sequences are collected and listed together, because that takes less time for each. The
  // same applies to prepared sequences.
  const bool is_prepared = !item.parts.empty();
  const bool has_findings =
      std::ranges::any_of(item.parts, [](const auto& part) { return !part->findings.empty(); });
  const bool goes_together = is_prepared ? !has_findings : item.plan.slices.empty();
  std::span<const SequenceRun> runs = runs_of(item.plan, step);
  while (!runs.empty()) {
    const PackingScratch::Plain plain =
        goes_together ? rooms.count_plain(runs, static_cast<std::size_t>(end.sequence) - number)
                      : PackingScratch::Plain();
    if (plain.run_count > 0) {
      if (is_prepared) {
        add_prepared(item, number, number + plain.sequence_count, rooms);
      } else {
        rooms.add(runs, plain);
      }
      if (rooms.notes_origins()) {
        for (const SequenceRun& run : runs.first(plain.run_count)) {
          rooms.note_origin(run.use, run.first, run.count);
        }
      }
      number += plain.sequence_count;
      runs = runs.subspan(plain.run_count);
      continue;
    }
    const SequenceRun& run = runs.front();
    runs = runs.subspan(1);
    const Unit& unit = *item.units[static_cast<std::size_t>(run.use)];
    if (unit.error) std::rethrow_exception(unit.error);
    rooms.add_waiting();
    const bool is_plain = rooms.units[static_cast<std::size_t>(run.use)].is_plain;
    for (std::int64_t i = run.first; i < run.first + run.count; ++i, ++number) {
      const std::size_t error_count = errors.size();
      if (!is_plain) unit.append_errors(i, errors);
      const bool is_hole = (!is_plain && unit.chunk->rows().is_hole(unit.index_in_chunk(i))) ||
                           (has_findings && add_findings(item, number, unit, i, errors));
      if (splits_frames(item.plan)) {
        for (SequenceError& error : std::span(errors).subspan(error_count)) {
          error.frame = item.plan.slices[number].first;
        }
      }
      if (is_hole) {
        ++hole_count;
        continue;
      }
      rooms.note_origin(run.use, i, 1);
      if (is_prepared) {
        add_prepared(item, number, number + 1, rooms);
      } else {
        add(item, unit, i, number, rooms);
      }
    }
  }
  if (packer_.takes_arrays()) {
    rooms.add_last(memory_);
  } else {
    rooms.add_waiting();
  }
  rooms.widen();
  if (memory_limit_bytes_ > 0) reserve_padding(item, list);
  Minibatch minibatch = packer_.pack(list, memory_);
  if (minibatch.sequence_count() != list.size() || minibatch.streams().size() != streams_->size()) {
    throw InternalError(
        formatted("packer \"{}\": {} sequences of {} streams were to be packed, {} of {} came",
                  packer_.name(), list.size(), streams_->size(), minibatch.sequence_count(),
                  minibatch.streams().size()));
  }
  minibatch.set_members(rooms.members);
  minibatch.set_costs(rooms.costs);
  minibatch.ends_sweep = end.ends_sweep;
  minibatch.ends_epoch = end.ends_epoch;
  minibatch.hole_count = hole_count;
  minibatch.position = {run_, end.next};
  if (!item.draws.empty()) minibatch.position.draws = item.draws[step];
  return {std::move(minibatch), std::move(errors)};
}

}  // namespace sheaf::internal
