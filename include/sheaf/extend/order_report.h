/// \file
/// Measures how good an order is, before any data are read.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/mixture.h"
#include "sheaf/types.h"

namespace sheaf {

/// What is measured, and over how many steps.
struct OrderReportOptions {
  /// How many steps are measured. 0 means the steps of a sweep, and at least some hundred.
  std::int64_t steps_max = 0;

  /// About how many sequences are planned for the report, of all workers together. Where the steps
  /// would have more, fewer steps are measured, and then fewer workers.
  std::int64_t planned_max = 10'000'000;

  /// Returns a number for each sequence, or NaN. The report compares the means of the minibatches.
  /// By default the number is the place of the sequence in the file, as if the data were sorted by
  /// their label: the worst case.
  std::function<double(ChunkIndex chunk, std::int64_t sequence)> value = {};

  /// Returns the memory that a decoded chunk takes. Without it, `held_bytes` are not known.
  std::function<double(ChunkIndex chunk)> chunk_bytes = {};
};

/// Averages over the minibatches that have a sequence.
struct MinibatchReport {
  std::int64_t steps = 0;      // measured
  std::int64_t stretches = 1;  // of steps; each begins with another sweep
  double sequences = 0;
  double samples = 0;
  std::optional<double> cost = {};    // where minibatch_size counts it
  std::optional<double> chunks = {};  // that a minibatch draws from, where known
  std::optional<double> units = {};

  /// The deviation of minibatch means from the mean of all sequences, divided by the deviation of a
  /// full shuffle without replacement: 1 is as good as a full shuffle. Nothing where sequences are
  /// cut, where all values are equal, or where a minibatch has all sequences.
  std::optional<double> noise = {};
};

/// How many sequences OrderOptions::long_sequences cuts or leaves out.
struct LongReport {
  std::int64_t sequences = 0;         // that are longer than a row, and cut or left out
  std::int64_t of_sequences = 0;      // sequences of the data
  std::int64_t pieces = 0;            // of the long sequences
  std::int64_t left_out_samples = 0;  // that no sweep delivers
  std::int64_t of_samples = 0;        // samples of the data

  friend bool operator==(const LongReport&, const LongReport&) = default;
};

/// What an epoch delivers of a member of a mixture.
struct MemberReport {
  std::string name = {};
  std::int64_t weight = 0;     // from draw 0 on
  double asked = 0;            // share of the sequences, by the weights and the schedule
  std::int64_t sequences = 0;  // frames or pieces, where sequences are split into them
  std::int64_t samples = 0;    // after cutting, of the longest stream: tokens, where samples are
  double times = 0;            // how often the member is delivered
};

/// What an epoch delivers of a mixture.
struct MixtureReport {
  Exhausted exhausted = Exhausted::repeat;
  std::int64_t draws = 0;
  bool is_whole = false;         // whether the draws are a whole epoch
  double largest_deviation = 0;  // of a member from its share, in sequences, after any minibatch
  std::vector<MemberReport> members = {};
};

/// The measures of an order.
struct OrderReport {
  // The data.
  std::int64_t chunks = 0;
  std::int64_t units = 0;
  std::int64_t sequences = 0;  // of a sweep; frames or pieces, where sequences are split into them
  std::int64_t samples = 0;

  // Nothing where the options do not say what becomes of long sequences.
  std::optional<LongReport> long_sequences = {};

  // Nothing for data that are no mixture, and where sequences are truncated.
  std::optional<MixtureReport> mixture = {};

  // The sum of the costs of a sweep and what costs measure, where minibatch_size counts costs.
  std::optional<std::int64_t> cost = {};
  std::string cost_name = {};

  // How many steps from the beginning of the run were measured, and how many workers, spread
  // evenly. The fields below are about these steps and workers.
  std::int64_t steps = 0;
  std::int64_t workers = 0;

  MinibatchReport all = {};     // the minibatches of all workers, taken together
  MinibatchReport worker = {};  // the minibatches of one worker

  /// The samples of the slowest worker of a step, divided by the mean, minus 1; where
  /// minibatch_size counts costs, the same in costs, here and below. The second number
  /// divides by the longest sequence of the step where that is larger than the mean, since no order
  /// can cut the sequence. For "keyed", mean and longest sequence are those of all workers.
  double excess = 0;
  double excess_over_longest = 0;

  /// How many steps leave a worker without sequences while another has some: a worker that finished
  /// an epoch waits for the others.
  std::int64_t idle_steps = 0;

  /// How many sequences and samples workers read from the data of other workers, divided by the
  /// delivered ones. Where each worker parses all data, that is worker_count - 1.
  double foreign_sequences = 0;
  double foreign_samples = 0;

  /// How many samples the window of a worker holds at most; the windows of all workers together;
  /// and the memory that the window of a worker takes.
  std::int64_t held_samples = 0;
  std::int64_t held_samples_of_all = 0;
  std::optional<double> held_bytes = {};

  /// The share of padding in padded arrays: 1 - samples / (sequences x longest), for the minibatch
  /// of a worker. Nothing where sequences are cut.
  std::optional<double> padding = {};
};

/// Counts the sequences that the options of an order cut or leave out.
///
/// Throws: ConfigError as make_sequencer; whatever Counts throws.
/// Cost:   looks at the lengths of all sequences.
[[nodiscard]] LongReport count_long_sequences(const Counts& counts, const OrderOptions& order);

/// Plans and measures steps of a run for all workers. A run that is too short goes on with more
/// epochs. The worker_index of the options has no effect.
///
/// Order:  a function of the arguments, the same on every machine except for rounding.
/// Pre:    counts is not null; steps_max is not negative; planned_max is positive.
/// Throws: ConfigError as make_sequencer; whatever Counts throws; what check_interruption() throws.
/// Cost:   about options.planned_max sequences planned once or twice; memory for each unit and
///         step, besides what a sequencer takes.
[[nodiscard]] OrderReport measure_order(const std::shared_ptr<const Counts>& counts,
                                        const OrderOptions& order,
                                        const OrderReportOptions& options = {});

}  // namespace sheaf
