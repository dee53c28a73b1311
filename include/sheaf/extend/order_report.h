/// \file
/// How good an order is, in numbers, before anything is read.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/types.h"

namespace sheaf {

/// What is measured, and how much of the order is looked at.
struct OrderReportOptions {
  /// Steps that are looked at; 0: those of a sweep, and some hundred at the least.
  std::int64_t steps_max = 0;

  /// Sequences that are planned for it, all workers together, about: where a step has so many or
  /// there are so many workers that it would be more, fewer steps are looked at, and then fewer
  /// workers.
  std::int64_t planned_max = 10'000'000;

  /// A number for each sequence, of which means over minibatches are looked at; NaN where it has
  /// none. Where this is empty: its place in the file, as if the data were sorted by what is to be
  /// learned from them, which is the worst case.
  std::function<double(ChunkIndex chunk, std::int64_t sequence)> value = {};

  /// Memory that a chunk takes when it is decoded; empty: held_bytes are not known.
  std::function<double(ChunkIndex chunk)> chunk_bytes = {};
};

/// Minibatches that have a sequence, on average.
struct MinibatchReport {
  std::int64_t steps = 0;      // looked at
  std::int64_t stretches = 1;  // in which they lie; each begins with another sweep
  double sequences = 0;
  double samples = 0;
  std::optional<double> chunks = {};  // that they draw from; nothing where that is not known
  std::optional<double> units = {};

  /// The deviation of minibatch means from the mean of all sequences, over what a full shuffle
  /// without replacement would have: 1 is as good as that. Nothing where there is no such thing:
  /// sequences are cut, all values are equal, or minibatches have all sequences.
  std::optional<double> noise = {};
};

/// An order, measured.
struct OrderReport {
  // The data.
  std::int64_t chunks = 0;
  std::int64_t units = 0;
  std::int64_t sequences = 0;  // of a sweep; frames, where these are split
  std::int64_t samples = 0;

  // What was looked at: steps of the run from its beginning on, in which a worker has a sequence;
  // and so many workers of all, spread evenly. What follows is about these.
  std::int64_t steps = 0;
  std::int64_t workers = 0;

  MinibatchReport all = {};     // the workers' minibatches of a step, taken together
  MinibatchReport worker = {};  // one worker's

  /// The slowest worker's samples of a step over the mean, minus one; and over that or over the
  /// longest sequence of the step, where this is more, since nobody can cut it. Of "keyed", mean
  /// and longest are those of all workers, however many were looked at.
  double excess = 0;
  double excess_over_longest = 0;

  /// Steps in which a worker has nothing while another has something: a worker that is through with
  /// an epoch waits for the others.
  std::int64_t idle_steps = 0;

  /// Sequences and samples that workers read besides the data themselves, over those that are
  /// delivered: single ones out of other workers' data; or all, where each worker parses all.
  double foreign_sequences = 0;
  double foreign_samples = 0;

  /// Samples that a window holds at most: one worker's, the largest of those looked at; and all
  /// workers' together. And the memory that they take.
  std::int64_t held_samples = 0;
  std::int64_t held_samples_of_all = 0;
  std::optional<double> held_bytes = {};

  /// The part of padded arrays that is padding: 1 - samples / (sequences x longest), of each
  /// worker's minibatch. Nothing where sequences are cut.
  std::optional<double> padding = {};
};

/// Plan steps of a run, for all of its workers, and measure them. A run that is too short for it is
/// taken to go on with more epochs. The worker of the options does not matter.
///
/// Order:  a function of its arguments, the same on every machine but for rounding.
/// Pre:    counts is not null; steps_max is not negative; planned_max is positive.
/// Throws: ConfigError as make_sequencer; whatever Counts throws.
/// Cost:   about options.planned_max sequences planned once or twice; memory for each unit and
///         step, besides what a sequencer takes.
[[nodiscard]] OrderReport measure_order(const std::shared_ptr<const Counts>& counts,
                                        const OrderOptions& order,
                                        const OrderReportOptions& options = {});

}  // namespace sheaf
