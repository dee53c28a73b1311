/// \file
/// Runs a Reader over made-up data to the end, and returns values that tests compare.

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

#include "support/fake_deserializer.h"
#include "support/test_sequencers.h"

namespace sheaf::testing {

/// Returns the properties of a minibatch, and a hash of every byte in it.
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

/// Everything that next() returned until the end, or until it threw.
struct Outcome {
  std::vector<std::string> minibatches;
  std::vector<Position> positions;
  std::string error;  // type and text; empty if there was no error
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

/// The components of a run.
struct RunParts {
  std::shared_ptr<const FakeDeserializer> data;
  OrderOptions order = {.minibatch_size = 3, .unit = MinibatchUnit::sequences, .sweeps = 2};
  bool jumps = false;
  bool has_slices = false;
  Layout packing = Layout::padded;
  std::uint64_t fickle_seed = 0;  // 0 keeps the advice of the order about memory
  std::optional<std::int64_t> row_samples = {};
  Padding padding = {};
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
          make_packer(parts.packing, parts.order, parts.row_samples, parts.padding), options};
}

inline Outcome run(const RunParts& parts, const RunOptions& options) {
  Reader reader = open(parts, options);
  return run(reader);
}

/// Returns chunks of 10, 1, 7 and 9 sequences with 1 to 5 samples. Units have one sequence or
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
