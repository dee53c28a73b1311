/// \file
/// Whole runs of a Reader over made-up data, as values to compare.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "reader/fake_deserializer.h"

namespace sheaf::testing {

/// Sequences in an order that jumps over all chunks, in minibatches of two; a sweep is released at
/// its end. With slices, each sequence comes as its first sample, then, a step later, the rest.
class JumpingSequencer final : public Sequencer {
 public:
  JumpingSequencer(const Counts& counts, std::int64_t sweeps, bool has_slices = false)
      : sweeps_(sweeps), has_slices_(has_slices) {
    for (ChunkIndex chunk{}; counts.chunk_counts(chunk); chunk = sheaf::next(chunk)) {
      const SampleCounts samples = counts.sample_counts(chunk);
      for (std::int64_t i = 0; i < samples.size(); ++i) all_.push_back({chunk, i});
      chunks_.push_back({chunk});
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "jumping"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }

  [[nodiscard]] std::optional<Step> step(const Place& from) const override {
    if (from.sweep >= sweeps_) return std::nullopt;
    const std::int64_t parts = has_slices_ ? 2 : 1;
    const std::int64_t size = std::ssize(all_);
    Step step;
    std::int64_t at = from.sequence;  // in halves of pairs where there are slices
    const std::int64_t first = at / parts * 2;
    for (std::int64_t i = first; i < std::min(first + 2, size); ++i) {
      step.sequences.push_back(all_[static_cast<std::size_t>(i * 7 % size)]);
      if (has_slices_) {
        step.slices.push_back(at % 2 == 0 ? SampleRange{0, 1} : SampleRange{1, 1000});
      }
    }
    ++at;
    step.ends_sweep = at / parts * 2 >= size;
    step.next = step.ends_sweep ? Place{.sweep = from.sweep + 1}
                                : Place{.sweep = from.sweep, .sequence = at};
    step.ends_epoch = step.next.sweep >= sweeps_;
    if (step.ends_sweep) step.release = chunks_;
    return step;
  }

 private:
  std::int64_t sweeps_;
  bool has_slices_;
  std::vector<SequenceRef> all_;  // their number must not be divisible by 7
  std::vector<ChunkRange> chunks_;
};

/// The steps of another order, with advice about memory that is good for nothing: ranges of all
/// kinds are loaded, released in the step that loads them or later or never, and loaded again, as a
/// function of the place.
class FickleSequencer final : public Sequencer {
 public:
  /// Pre: seed > 0.
  FickleSequencer(const Counts& counts, std::unique_ptr<Sequencer> order, std::uint64_t seed)
      : order_(std::move(order)), seed_(seed) {
    for (ChunkIndex chunk{}; true; chunk = sheaf::next(chunk)) {
      const std::optional<ChunkCounts> sizes = counts.chunk_counts(chunk);
      if (!sizes) break;
      const std::int64_t count = sizes->sequence_count;
      const std::int64_t units = sizes->unit_count;
      ranges_.push_back({chunk});
      for (std::int64_t unit = 0; unit < units; ++unit) {
        const std::int64_t first = unit * count / units;
        const std::int64_t end = (unit + 1) * count / units;
        ranges_.push_back({chunk, first, end - first});
        ranges_.push_back({chunk, first, end - first + 1});  // shares one with the next, or ends
      }
      for (std::int64_t i = 0; i < count; ++i) {
        ranges_.push_back({chunk, i, 1});
        ranges_.push_back({chunk, i, i % 7 + 2});
      }
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return order_->algorithm(); }
  [[nodiscard]] std::map<std::string, std::string> options() const override {
    return order_->options();
  }

  [[nodiscard]] std::optional<Step> step(const Place& from) const override {
    std::optional<Step> step = order_->step(from);
    if (!step) return step;
    step->load.clear();
    step->release.clear();
    std::uint64_t state = seed_ + static_cast<std::uint64_t>(from.sweep * 1000 + from.sequence);
    const auto draw = [&](std::uint64_t count) {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      return (state >> 33U) % count;
    };
    const std::uint64_t of = 2 + draw(30);  // seldom or often
    for (const ChunkRange& range : ranges_) {
      if (draw(of) == 0) step->load.push_back(range);
      if (draw(20) == 0) step->release.push_back(range);
    }
    return step;
  }

 private:
  std::unique_ptr<Sequencer> order_;
  std::uint64_t seed_;
  std::vector<ChunkRange> ranges_;
};

/// Steps that were written down, each at the place of its number.
class WrittenSequencer final : public Sequencer {
 public:
  explicit WrittenSequencer(std::vector<Step> steps) : steps_(std::move(steps)) {}

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "written"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& from) const override {
    if (from.sequence >= std::ssize(steps_)) return std::nullopt;
    Step step = steps_[static_cast<std::size_t>(from.sequence)];
    step.next.sequence = from.sequence + 1;
    return step;
  }

 private:
  std::vector<Step> steps_;
};

/// What a minibatch says of itself, and a hash of what it holds, byte for byte.
inline std::string to_text(const Minibatch& minibatch) {
  std::string bytes;
  const auto add = [&](std::int64_t number) { bytes += std::to_string(number) + ' '; };
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    const StreamBatch& batch = minibatch.batch(i);
    add(batch.sequence_count);
    add(batch.sample_count);
    add(batch.sample_count_max);
    add(batch.slot_count);
    for (const Buffer* buffer :
         {&batch.values, &batch.indices, &batch.row_offsets, &batch.extents, &batch.lengths,
          &batch.sequence_offsets, &batch.slots, &batch.begins, &batch.mask, &batch.presence}) {
      add(buffer->size_bytes());
      bytes.append(reinterpret_cast<const char*>(buffer->data()),
                   static_cast<std::size_t>(buffer->size_bytes()));
    }
  }
  for (const SequenceSlice& slice : minibatch.slices()) {
    add(slice.first);
    add(slice.count);
    add(slice.sequence_sample_count);
  }
  std::string text = "keys";
  for (const SequenceKey& key : minibatch.keys()) text += " " + to_string(key);
  text += ", " + std::to_string(minibatch.hole_count) + " holes";
  if (minibatch.ends_sweep) text += ", ends sweep";
  if (minibatch.ends_epoch) text += ", ends epoch";
  const Place& place = minibatch.position.place;
  text += ", then " + std::to_string(place.sweep) + "/" + std::to_string(place.sequence) + "/" +
          std::to_string(place.sample);
  for (const std::int64_t number : place.carry) text += "," + std::to_string(number);
  return text + ", hash " + std::to_string(std::hash<std::string>()(bytes));
}

/// All that next() gave until the end or until it threw.
struct Outcome {
  std::vector<std::string> minibatches;
  std::vector<Position> positions;
  std::string error;  // its type and text; empty where there was none
  std::vector<std::string> diagnostics;
  ReaderStats stats;
};

inline std::string text_of(const std::exception& error) {
  return std::string(typeid(error).name()) + ": " + error.what();
}

inline Outcome run(Reader& reader) {
  Outcome outcome;
  try {
    while (std::optional<Minibatch> minibatch = reader.next()) {
      outcome.minibatches.push_back(to_text(*minibatch));
      outcome.positions.push_back(minibatch->position);
    }
  } catch (const std::exception& error) {
    outcome.error = text_of(error);
  }
  for (const Diagnostic& diagnostic : reader.diagnostics()) {
    outcome.diagnostics.push_back(to_string(diagnostic));
  }
  outcome.stats = reader.stats();
  return outcome;
}

/// What a run is made of.
struct RunParts {
  std::shared_ptr<const FakeDeserializer> data;
  OrderOptions order = {.minibatch_size = 3, .unit = MinibatchUnit::sequences, .sweeps = 2};
  bool jumps = false;
  bool has_slices = false;
  Layout packing = Layout::padded;
  std::uint64_t fickle_seed = 0;  // 0: what the order says about memory is left as it is
  std::optional<std::int64_t> row_samples = {};
};

inline Reader open(const RunParts& parts, const RunOptions& options) {
  const std::shared_ptr<const Counts> counts(parts.data, &parts.data->index());
  std::unique_ptr<Sequencer> sequencer;
  if (parts.jumps) {
    sequencer = std::make_unique<JumpingSequencer>(*counts, *parts.order.sweeps, parts.has_slices);
  } else {
    sequencer = make_sequencer(counts, parts.order);
  }
  if (parts.fickle_seed > 0) {
    sequencer = std::make_unique<FickleSequencer>(*counts, std::move(sequencer), parts.fickle_seed);
  }
  return {parts.data, std::move(sequencer),
          make_packer(parts.packing, parts.order, parts.row_samples), options};
}

inline Outcome run(const RunParts& parts, const RunOptions& options) {
  Reader reader = open(parts, options);
  return run(reader);
}

/// Chunks of 10, 1, 7 and 9 sequences with 1 to 5 samples, some units of one sequence, some of
/// several.
inline FakeData small_data() {
  FakeData data;
  std::int64_t number = 0;
  for (const std::int64_t count : {10, 1, 7, 9}) {
    std::vector<std::int64_t>& chunk = data.lengths.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) chunk.push_back(1 + (number++ * 3) % 5);
  }
  return data;
}

inline std::shared_ptr<const FakeDeserializer> fake(FakeData data) {
  return std::make_shared<const FakeDeserializer>(std::move(data));
}

}  // namespace sheaf::testing
