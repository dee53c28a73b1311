#include "transform/chain.h"

#include <algorithm>
#include <functional>

#include "sheaf/error.h"

#include "base/interruption_watch.h"
#include "base/text.h"
#include "core/equal_streams.h"

namespace sheaf::internal {
namespace {

// Opens and closes at samples that the stream has.
SampleRange cut(const SampleRange& range, std::int64_t sample_count) noexcept {
  const std::int64_t first = std::clamp<std::int64_t>(range.first, 0, sample_count);
  const std::int64_t end = range.count > sample_count - range.first
                               ? sample_count
                               : std::max(first, range.first + range.count);
  return {first, end - first};
}

SampleRange hull(const SampleRange& a, const SampleRange& b) noexcept {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const std::int64_t first = std::min(a.first, b.first);
  return {first, std::max(a.first + a.count, b.first + b.count) - first};
}

// A view of no samples: there is something to point at, for whoever adds offsets to nothing.
SequenceView empty_view(const Stream& stream, bool is_present) noexcept {
  static constexpr std::int64_t kNoOffset = 0;
  static constexpr std::byte kNothing{};
  SequenceView view{.values = &kNothing, .is_present = is_present};
  if (stream.storage == Storage::sparse) view.indices = &kNothing;
  if (stream.storage == Storage::sparse || !stream.sample_shape.is_fixed()) {
    view.sample_offsets = &kNoOffset;
  }
  if (!stream.sample_shape.is_fixed()) view.extents = &kNoOffset;
  return view;
}

// As to_string(Shape); an extent may be 0.
std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += formatted("{}{}", text.empty() ? "" : ", ", extent);
  }
  return formatted("[{}]", text);
}

}  // namespace

std::int64_t TransformChain::sample_count(std::int64_t sample_count) const noexcept {
  for (const auto& transform : counting_) sample_count = transform->sample_count(sample_count);
  return sample_count;
}

double TransformChain::made_bytes(std::int64_t sample_count) const noexcept {
  double bytes = 0;
  for (const Link& link : links_) bytes += link.sample_bytes;
  return bytes * static_cast<double>(sample_count);
}

void TransformChain::check_sizes() const {
  for (const Link& link : links_) {
    if (link.unsized.empty()) continue;
    throw ConfigError(formatted(
        "memory_limit_bytes: how much memory the transform \"{}\" takes is not known: its stream "
        "\"{}\" has samples of variable shape; let the transform say the largest (shape_max), or "
        "leave the limit out",
        link.label, link.unsized));
  }
}

std::int64_t TransformChain::apply(const ChainedSequence& sequence,
                                   std::span<const SequenceView> sources,
                                   const std::optional<SampleRange>& slice,
                                   std::span<SequenceView> results,
                                   std::pmr::memory_resource& memory, Scratch& scratch) const {
  begin(sequence, sources, slice, scratch);
  for (const Link& link : links_) apply(link, sequence, memory, scratch);
  return finish(slice, results, scratch);
}

/// A sequence of apply_many(), on its way.
struct TransformChain::Work {
  Call* call = nullptr;
  Scratch scratch = {};
};

// A sequence that fails takes no part any more: which other sequences are in the batch must not
// change what becomes of it.
void TransformChain::apply_many(std::span<Call> calls, std::pmr::memory_resource& memory) const {
  std::vector<Work> works(calls.size());
  const auto guarded = [](Work& work, const auto& step) {
    if (work.call->error != nullptr) return;
    try {
      step(work);
    } catch (...) {
      work.call->error = std::current_exception();
    }
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    works[i].call = &calls[i];
    guarded(works[i], [&](Work& work) {
      begin(work.call->sequence, work.call->sources, work.call->slice, work.scratch);
    });
  }
  for (const Link& link : links_) {
    if (link.transform->batch() != Transform::Batch::one) {
      apply_batch(link, works, memory);
      continue;
    }
    for (Work& work : works) {
      guarded(work, [&](Work& each) { apply(link, each.call->sequence, memory, each.scratch); });
    }
  }
  for (Work& work : works) {
    guarded(work, [&](Work& each) {
      each.call->longest = finish(each.call->slice, each.call->results, each.scratch);
    });
  }
}

void TransformChain::apply_batch(const Link& link, std::span<Work> works,
                                 std::pmr::memory_resource& memory) const {
  std::vector<Work*> taken;
  std::vector<TransformedSequence> wholes;
  for (Work& work : works) {
    if (work.call->error != nullptr) continue;
    static_cast<void>(begin_link(link, work.scratch));
    if (work.scratch.needs[link.first_output].count == 0) continue;
    taken.push_back(&work);
    wholes.push_back(transformed(link, work.call->sequence, work.scratch));
  }
  const auto apply_to = [&](std::size_t first, std::size_t count) {
    std::vector<TransformInput> inputs;
    std::vector<TransformOutput> outputs;
    for (std::size_t i = first; i < first + count; ++i) {
      Scratch& scratch = taken[i]->scratch;
      inputs.push_back(input_of(link, wholes[i], scratch));
      outputs.emplace_back(link.output_streams, begin_link(link, scratch), memory,
                           taken[i]->call->sequence.takes_strides && !link.is_read);
    }
    try {
      link.transform->apply_many(inputs, outputs);
      for (std::size_t i = first; i < first + count; ++i) {
        check_made(link, taken[i]->call->sequence, taken[i]->scratch);
      }
    } catch (const ConfigError& error) {
      refuse(link, taken[first]->call->sequence, error.what());
    }
  };
  if (taken.empty()) return;
  const InterruptionWatch watch;
  try {
    apply_to(0, taken.size());
    return;
  } catch (...) {
    if (taken.size() == 1 || link.transform->batch() == Transform::Batch::step ||
        watch.was_interrupted()) {
      for (Work* work : taken) work->call->error = std::current_exception();
      return;
    }
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    try {
      apply_to(i, 1);
    } catch (...) {
      taken[i]->call->error = std::current_exception();
    }
  }
}

void TransformChain::begin(const ChainedSequence& sequence, std::span<const SequenceView> sources,
                           const std::optional<SampleRange>& slice, Scratch& scratch) const {
  scratch.views.assign(slot_count_, {});
  scratch.counts.assign(slot_count_, 0);
  scratch.needs.assign(slot_count_, {});
  scratch.present.assign(slot_count_, false);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    scratch.counts[i] = sources[i].sample_count;
    scratch.present[i] = sources[i].is_present;
  }
  plan(sequence, slice, scratch);
  if (sequence.needs_equal_streams) check_equal_streams(sequence, scratch);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    scratch.views[i] = part_of_view(sources[i], sources_[i], scratch.needs[i]);
  }
}

// Throws: ConfigError where the streams of the result are not equally long.
void TransformChain::check_equal_streams(const ChainedSequence& sequence,
                                         const Scratch& scratch) const {
  EqualStreams check;
  for (std::size_t i = 0; i < result_slots_.size(); ++i) {
    const std::size_t slot = result_slots_[i];
    if (scratch.present[slot]) check.add(scratch.counts[slot], static_cast<std::int64_t>(i));
  }
  if (!check.is_equal()) check.refuse(sequence.key, sequence.key_text, streams_);
}

// The views of what a transform makes: of no samples so far.
std::span<SequenceView> TransformChain::begin_link(const Link& link, Scratch& scratch) const {
  const std::span<SequenceView> made =
      std::span(scratch.views).subspan(link.first_output, link.output_streams.size());
  const bool is_present = scratch.present[link.first_output];
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = empty_view(link.output_streams[i], is_present);
  }
  return made;
}

void TransformChain::apply(const Link& link, const ChainedSequence& sequence,
                           std::pmr::memory_resource& memory, Scratch& scratch) const {
  const std::span<SequenceView> made = begin_link(link, scratch);
  if (scratch.needs[link.first_output].count == 0) return;
  TransformOutput output(link.output_streams, made, memory,
                         sequence.takes_strides && !link.is_read);
  const TransformedSequence whole = transformed(link, sequence, scratch);
  try {
    link.transform->apply(input_of(link, whole, scratch), output);
  } catch (const ConfigError& error) {
    refuse(link, sequence, error.what());
  }
  check_made(link, sequence, scratch);
}

void TransformChain::check_made(const Link& link, const ChainedSequence& sequence,
                                const Scratch& scratch) {
  const std::int64_t expected = scratch.needs[link.first_output].count;
  for (std::size_t i = 0; i < link.output_streams.size(); ++i) {
    const SequenceView& view = scratch.views[link.first_output + i];
    if (!view.is_present) continue;
    if (view.sample_count != expected) {
      refuse(link, sequence,
             formatted("{} samples were to be made, {} came", expected, view.sample_count));
    }
    if (link.shapes_max[i]) check_extents(link, i, sequence, view);
  }
}

// Memory was planned by the largest extents.
void TransformChain::check_extents(const Link& link, std::size_t output,
                                   const ChainedSequence& sequence, const SequenceView& view) {
  const std::span<const std::int64_t> most = link.shapes_max[output]->extents();
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const std::span extents(view.extents + i * std::ssize(most), most.size());
    if (std::ranges::equal(extents, most, std::ranges::less_equal())) continue;
    refuse(link, sequence,
           formatted("stream \"{}\": expected samples of at most {}, as shape_max says, got {}",
                     link.output_streams[output].name, to_string(*link.shapes_max[output]),
                     extents_text(extents)));
  }
}

std::int64_t TransformChain::finish(const std::optional<SampleRange>& slice,
                                    std::span<SequenceView> results, const Scratch& scratch) const {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < result_slots_.size(); ++i) {
    const std::size_t slot = result_slots_[i];
    longest = std::max(longest, scratch.counts[slot]);
    const SampleRange wanted =
        slice ? cut(*slice, scratch.counts[slot]) : SampleRange{0, scratch.counts[slot]};
    results[i] = part_of_view(
        scratch.views[slot], streams_[i],
        {wanted.count == 0 ? 0 : wanted.first - scratch.needs[slot].first, wanted.count});
  }
  return longest;
}

// Forward, how many samples there are; backward, which of them are needed.
void TransformChain::plan(const ChainedSequence& sequence, const std::optional<SampleRange>& slice,
                          Scratch& scratch) const {
  for (const Link& link : links_) {
    const std::size_t first = link.inputs.front();
    for (std::size_t i = 0; i < link.output_streams.size(); ++i) {
      const std::size_t slot = link.first_output + i;
      scratch.present[slot] = scratch.present[first];
      if (scratch.present[first]) {
        scratch.counts[slot] = link.transform->sample_count(scratch.counts[first]);
      }
    }
  }
  for (const std::size_t slot : result_slots_) {
    const SampleRange all{0, scratch.counts[slot]};
    scratch.needs[slot] = hull(scratch.needs[slot], slice ? cut(*slice, all.count) : all);
  }
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    SampleRange range;
    for (std::size_t i = 0; i < link->output_streams.size(); ++i) {
      range = hull(range, scratch.needs[link->first_output + i]);
    }
    for (std::size_t i = 0; i < link->output_streams.size(); ++i) {
      scratch.needs[link->first_output + i] = range;
    }
    if (range.count == 0) continue;
    const TransformedSequence whole = transformed(*link, sequence, scratch);
    for (std::size_t i = 0; i < link->inputs.size(); ++i) {
      const std::size_t slot = link->inputs[i];
      SampleRange read;
      try {
        read = link->transform->reads_of(i, range, whole);
      } catch (const ConfigError& error) {
        refuse(*link, sequence, error.what());
      }
      scratch.needs[slot] = hull(scratch.needs[slot], cut(read, scratch.counts[slot]));
    }
  }
}

TransformedSequence TransformChain::transformed(const Link& link, const ChainedSequence& sequence,
                                                Scratch& scratch) const {
  scratch.input_counts.clear();
  for (const std::size_t slot : link.inputs) scratch.input_counts.push_back(scratch.counts[slot]);
  return {.name = {.seed = seed_,
                   .sweep = sequence.sweep,
                   .key = sequence.key,
                   .transform = link.random_name},
          .key_text = sequence.key_text,
          .sample_counts = scratch.input_counts};
}

TransformInput TransformChain::input_of(const Link& link, const TransformedSequence& transformed,
                                        Scratch& scratch) const {
  scratch.inputs.clear();
  scratch.firsts.clear();
  for (const std::size_t slot : link.inputs) {
    scratch.inputs.push_back(scratch.views[slot]);
    scratch.firsts.push_back(scratch.needs[slot].first);
  }
  return {.sequence = transformed,
          .streams = link.input_streams,
          .views = scratch.inputs,
          .firsts = scratch.firsts,
          .range = scratch.needs[link.first_output]};
}

void TransformChain::refuse(const Link& link, const ChainedSequence& sequence,
                            std::string_view what) {
  const std::string key =
      sequence.key_text.empty() ? to_string(sequence.key) : formatted("\"{}\"", sequence.key_text);
  throw ConfigError(formatted("transform \"{}\": sequence {}: {}", link.label, key, what));
}

}  // namespace sheaf::internal
