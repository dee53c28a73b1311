#include "transform/chain.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sheaf/error.h"

#include "base/interruption_watch.h"
#include "base/text.h"
#include "core/equal_streams.h"
#include "transform/checked_draws.h"

namespace sheaf::internal {
namespace {

// Clips a range to the samples of a stream. Open ends become the first and the last sample.
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

// Does the same as to_string(Shape), but an extent may be 0.
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
        "\"{}\" has samples of variable shape; set the size of images "
        "(resize:{}:size=HEIGHTxWIDTH), "
        "let a function of your own say the largest (shape_max), or leave the limit out",
        link.label, link.unsized, link.unsized));
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

/// The state of a sequence during apply_many().
struct TransformChain::Work {
  Call* call = nullptr;
  Scratch scratch = {};
};

// After an error, a sequence takes no further part. So its result does not depend on the other
// sequences of the batch.
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
      each.call->warnings = std::move(each.scratch.warnings);
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
    if (work.scratch.streams[link.first_output].needs.count == 0) continue;
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
        if (std::optional<Diagnostic>& problem = outputs[i - first].problem()) {
          taken[i]->call->error =
              std::make_exception_ptr(wrong_sequence(link, std::move(*problem)));
          continue;
        }
        note_warnings(link, outputs[i - first], taken[i]->scratch);
        check_made(link, taken[i]->call->sequence, taken[i]->scratch);
      }
    } catch (const ConfigError& error) {
      refuse(link, taken[first]->call->sequence, error.what());
    } catch (const DataError& error) {
      throw wrong_sequence(link, error.diagnostics().back());
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
    taken[i]->call->error = nullptr;
    try {
      apply_to(i, 1);
    } catch (...) {
      taken[i]->call->error = std::current_exception();
    }
  }
}

void TransformChain::begin(const ChainedSequence& sequence, std::span<const SequenceView> sources,
                           const std::optional<SampleRange>& slice, Scratch& scratch) const {
  if (scratch.streams.size() != numbered_count_) {  // the first call
    scratch.streams.resize(numbered_count_);
    scratch.views.resize(numbered_count_);
    scratch.input_counts.resize(input_count_);
    scratch.inputs.resize(input_count_);
    scratch.firsts.resize(input_count_);
  }
  scratch.warnings.clear();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    scratch.streams[i] = {.count = sources[i].sample_count, .is_present = sources[i].is_present};
  }
  plan(sequence, slice, scratch);
  if (sequence.needs_equal_streams) check_equal_streams(sequence, scratch);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    scratch.views[i] = part_of_view(sources[i], source_sizes_[i], scratch.streams[i].needs);
  }
}

// Throws: ConfigError if the streams of the result differ in length.
void TransformChain::check_equal_streams(const ChainedSequence& sequence,
                                         const Scratch& scratch) const {
  EqualStreams check;
  for (std::size_t i = 0; i < result_numbers_.size(); ++i) {
    const Scratch::StreamUse& stream = scratch.streams[result_numbers_[i]];
    if (stream.is_present) check.add(stream.count, static_cast<std::int64_t>(i));
  }
  if (!check.is_equal()) check.refuse(sequence.key, sequence.key_text, streams_);
}

// Returns the views for the output of a transform, without samples so far.
std::span<SequenceView> TransformChain::begin_link(const Link& link, Scratch& scratch) const {
  const std::span<SequenceView> made =
      std::span(scratch.views).subspan(link.first_output, link.output_streams.size());
  const bool is_present = scratch.streams[link.first_output].is_present;
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = link.empty_views[i];
    made[i].is_present = is_present;
  }
  return made;
}

void TransformChain::apply(const Link& link, const ChainedSequence& sequence,
                           std::pmr::memory_resource& memory, Scratch& scratch) const {
  const std::span<SequenceView> made = begin_link(link, scratch);
  if (scratch.streams[link.first_output].needs.count == 0) return;
  TransformOutput output(link.output_streams, made, memory,
                         sequence.takes_strides && !link.is_read);
  const TransformedSequence whole = transformed(link, sequence, scratch);
  try {
    link.transform->apply(input_of(link, whole, scratch), output);
  } catch (const ConfigError& error) {
    refuse(link, sequence, error.what());
  } catch (const DataError& error) {
    throw wrong_sequence(link, error.diagnostics().back());
  }
  if (output.problem()) throw wrong_sequence(link, std::move(*output.problem()));
  note_warnings(link, output, scratch);
  check_made(link, sequence, scratch);
}

WrongSequence TransformChain::wrong_sequence(const Link& link, Diagnostic diagnostic) {
  if (diagnostic.stream.empty()) diagnostic.stream = link.input_streams.back().name;
  return {{.diagnostic = std::move(diagnostic), .source = link.source}};
}

void TransformChain::note_warnings(const Link& link, TransformOutput& output, Scratch& scratch) {
  for (Diagnostic& warning : output.warnings()) {
    if (warning.stream.empty()) warning.stream = link.input_streams.back().name;
    scratch.warnings.push_back({.diagnostic = std::move(warning), .source = link.source});
  }
}

void TransformChain::check_made(const Link& link, const ChainedSequence& sequence,
                                const Scratch& scratch) {
  const std::int64_t expected = scratch.streams[link.first_output].needs.count;
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

// The memory plan relies on the largest extents.
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
  for (std::size_t i = 0; i < result_numbers_.size(); ++i) {
    const Scratch::StreamUse& stream = scratch.streams[result_numbers_[i]];
    longest = std::max(longest, stream.count);
    const SampleRange wanted = slice ? cut(*slice, stream.count) : SampleRange{0, stream.count};
    results[i] =
        part_of_view(scratch.views[result_numbers_[i]], result_sizes_[i],
                     {wanted.count == 0 ? 0 : wanted.first - stream.needs.first, wanted.count});
  }
  return longest;
}

// Goes forward to count the samples of each stream, and then backward to find the samples needed.
void TransformChain::plan(const ChainedSequence& sequence, const std::optional<SampleRange>& slice,
                          Scratch& scratch) const {
  const std::span<Scratch::StreamUse> streams = scratch.streams;
  for (const Link& link : links_) {
    const Scratch::StreamUse& first = streams[link.inputs.front()];
    const Scratch::StreamUse made = {
        .count = first.is_present ? link.transform->sample_count(first.count) : 0,
        .is_present = first.is_present};
    for (std::size_t i = 0; i < link.output_streams.size(); ++i)
      streams[link.first_output + i] = made;
    for (std::size_t i = 0; i < link.inputs.size(); ++i) {
      scratch.input_counts[link.first_input + i] = streams[link.inputs[i]].count;
    }
  }
  for (const std::size_t number : result_numbers_) {
    Scratch::StreamUse& stream = streams[number];
    const SampleRange all{0, stream.count};
    stream.needs = hull(stream.needs, slice ? cut(*slice, all.count) : all);
  }
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
    SampleRange range;
    for (std::size_t i = 0; i < link->output_streams.size(); ++i) {
      range = hull(range, streams[link->first_output + i].needs);
    }
    for (std::size_t i = 0; i < link->output_streams.size(); ++i) {
      streams[link->first_output + i].needs = range;
    }
    if (range.count == 0) continue;
    const TransformedSequence whole = transformed(*link, sequence, scratch);
    for (std::size_t i = 0; i < link->inputs.size(); ++i) {
      Scratch::StreamUse& stream = streams[link->inputs[i]];
      SampleRange read;
      try {
        read = link->transform->reads_of(i, range, whole);
      } catch (const ConfigError& error) {
        refuse(*link, sequence, error.what());
      }
      stream.needs = hull(stream.needs, cut(read, stream.count));
    }
  }
}

TransformedSequence TransformChain::transformed(const Link& link, const ChainedSequence& sequence,
                                                const Scratch& scratch) const {
  return {.name = {.seed = seed_,
                   .sweep = sequence.sweep,
                   .key = sequence.key,
                   .transform = link.random_name},
          .key_text = sequence.key_text,
          .sample_counts =
              std::span(scratch.input_counts).subspan(link.first_input, link.inputs.size()),
          .drawn = link.ordered && sequence.drawn != nullptr
                       ? sequence.drawn->at(sequence.drawn_first + *link.ordered)
                       : std::span<const double>{}};
}

TransformInput TransformChain::input_of(const Link& link, const TransformedSequence& transformed,
                                        Scratch& scratch) const {
  const auto views = std::span(scratch.inputs).subspan(link.first_input, link.inputs.size());
  const auto firsts = std::span(scratch.firsts).subspan(link.first_input, link.inputs.size());
  for (std::size_t i = 0; i < link.inputs.size(); ++i) {
    views[i] = scratch.views[link.inputs[i]];
    firsts[i] = scratch.streams[link.inputs[i]].needs.first;
  }
  return {.sequence = transformed,
          .streams = link.input_streams,
          .views = views,
          .firsts = firsts,
          .range = scratch.streams[link.first_output].needs};
}

void TransformChain::refuse(const Link& link, const ChainedSequence& sequence,
                            std::string_view what) {
  const std::string key =
      sequence.key_text.empty() ? to_string(sequence.key) : formatted("\"{}\"", sequence.key_text);
  throw ConfigError(formatted("transform \"{}\": sequence {}: {}", link.label, key, what));
}

ChainDraws::ChainDraws(const TransformChain& chain, std::span<const std::int64_t> state)
    : chain_(chain) {
  const auto refuse = [] {
    throw ConfigError("position: field \"draws\" is not that of these transforms");
  };
  for (const std::size_t number : chain.ordered_) {
    std::span<const std::int64_t> own;
    if (!state.empty()) {
      if (state[0] < 0 || state[0] >= std::ssize(state)) refuse();
      own = state.subspan(1, static_cast<std::size_t>(state[0]));
      state = state.subspan(1 + own.size());
    }
    draws_.push_back(chain.links_[number].transform->ordered_draws(own));
  }
  if (!state.empty()) refuse();
}

bool ChainDraws::draw(std::int64_t sequence, std::span<const SequenceView> sources,
                      DrawnNumbers& drawn) {
  views_.resize(draws_.size());
  bool looks_right = !sources.empty();
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    views_[i].clear();
    if (sources.empty()) continue;
    for (const std::size_t input : chain_.links_[chain_.ordered_[i]].inputs) {
      views_[i].push_back(sources[input]);
    }
    const bool is_there = std::ranges::all_of(views_[i], &SequenceView::is_present);
    if (!is_there) views_[i].clear();
    looks_right = looks_right && (!is_there || internal::looks_right(*draws_[i], views_[i]));
  }
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    numbers_.clear();
    if (!views_[i].empty()) {
      // The apply() of other transforms relies on numbers, also for a sequence that is left out.
      const bool is_checked =
          dynamic_cast<const internal::CheckedDraws*>(draws_[i].get()) != nullptr;
      if (!looks_right && is_checked) {
        numbers_ = {internal::kPassedOver};
      } else {
        draws_[i]->draw(sequence, views_[i], numbers_);
      }
    }
    drawn.append(numbers_);
  }
  return looks_right;
}

// Returns, for each transform, the length of its state and the state.
std::vector<std::int64_t> ChainDraws::state() const {
  std::vector<std::int64_t> all;
  for (const auto& each : draws_) {
    const std::vector<std::int64_t> own = each->state();
    all.push_back(std::ssize(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace sheaf::internal
