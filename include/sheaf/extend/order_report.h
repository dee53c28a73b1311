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

/// What to measure, and over how many steps.
struct OrderReportOptions {
  /// How many steps to measure. 0 means the steps of a sweep, but at least a few hundred.
  std::int64_t steps_max = 0;

  /// Roughly how many sequences of all workers together are planned for the report. If the steps
  /// have more sequences, the report measures fewer steps, and then fewer workers.
  std::int64_t planned_max = 10'000'000;

  /// Returns a number for each sequence, or NaN. The report compares the means of the minibatches.
  /// By default, the number is the number of the sequence in the file. That is the worst case: data
  /// sorted by label.
  std::function<double(ChunkIndex chunk, std::int64_t sequence)> value = {};

  /// Returns how much memory a decoded chunk takes. Without this function, OrderReport::held_bytes
  /// is unknown.
  std::function<double(ChunkIndex chunk)> chunk_bytes = {};
};

/// Averages over the minibatches that have sequences.
struct MinibatchReport {
  std::int64_t steps = 0;      // how many steps were measured
  std::int64_t stretches = 1;  // runs of consecutive steps; each begins with a different sweep
  double sequences = 0;
  double samples = 0;
  std::optional<double> cost = {};    // set if minibatch_size counts costs
  std::optional<double> chunks = {};  // from which a minibatch draws, if known
  std::optional<double> units = {};

  /// The deviation of minibatch means from the mean of all sequences, divided by the same deviation
  /// for a full shuffle without replacement. 1 is as good as a full shuffle. Empty if sequences are
  /// cut, if all values are equal, or if a minibatch has all sequences.
  std::optional<double> noise = {};
};

/// How many sequences OrderOptions::long_sequences cuts or leaves out.
struct LongReport {
  std::int64_t sequences = 0;         // sequences longer than row_samples, which are cut or left
                                      // out
  std::int64_t of_sequences = 0;      // sequences of the data
  std::int64_t pieces = 0;            // the pieces of the long sequences
  std::int64_t left_out_samples = 0;  // samples that no sweep delivers
  std::int64_t of_samples = 0;        // samples of the data

  friend bool operator==(const LongReport&, const LongReport&) = default;
};

/// The share of a mixture's member in an epoch.
struct MemberReport {
  std::string name = {};
  std::int64_t weight = 0;     // the weight at draw 0
  double asked = 0;            // the share of the sequences by the weights and the schedule
  std::int64_t sequences = 0;  // frames or pieces, if sequences are split
  std::int64_t samples = 0;    // of the longest stream, after cutting
  double times = 0;            // how many times the member is delivered
};

/// The shares of a mixture's members in an epoch.
struct MixtureReport {
  Exhausted exhausted = Exhausted::repeat;
  std::int64_t draws = 0;
  bool is_whole = false;         // whether the draws are a whole epoch
  double largest_deviation = 0;  // of a member from its share, after any minibatch, in sequences
  std::vector<MemberReport> members = {};
};

/// The measures of an order.
struct OrderReport {
  // The data.
  std::int64_t chunks = 0;
  std::int64_t units = 0;
  std::int64_t sequences = 0;  // of a sweep; frames or pieces if sequences are split
  std::int64_t samples = 0;

  // Empty if the options do not handle long sequences.
  std::optional<LongReport> long_sequences = {};

  // Empty if the data are not a mixture, or if sequences are truncated.
  std::optional<MixtureReport> mixture = {};

  // The sum of the costs of a sweep, and what costs measure. Set if minibatch_size counts costs.
  std::optional<std::int64_t> cost = {};
  std::string cost_name = {};

  // How many steps from the beginning of the run were measured, and how many workers, spread
  // evenly. The fields below are about these steps and workers.
  std::int64_t steps = 0;
  std::int64_t workers = 0;

  MinibatchReport all = {};     // the minibatches of all workers, taken together
  MinibatchReport worker = {};  // the minibatches of one worker

  /// The samples of the slowest worker of a step, divided by the mean, minus 1. If minibatch_size
  /// counts costs, this field and the fields below are in costs. `excess_over_longest` divides by
  /// the longest sequence of the step if that is larger than the mean, because no order can cut the
  /// sequence. For "keyed", mean and longest sequence cover all workers.
  double excess = 0;
  double excess_over_longest = 0;

  /// How many steps leave a worker without sequences while another worker has some. A worker that
  /// has finished an epoch waits for the others.
  std::int64_t idle_steps = 0;

  /// How many sequences and samples workers read from the data of other workers, divided by the
  /// number of delivered ones. If each worker parses all data, the result is worker_count - 1.
  double foreign_sequences = 0;
  double foreign_samples = 0;

  /// The most samples that the window of one worker holds, the same for the windows of all workers
  /// together, and the memory that the window of one worker takes.
  std::int64_t held_samples = 0;
  std::int64_t held_samples_of_all = 0;
  std::optional<double> held_bytes = {};

  /// The share of padding in padded arrays: 1 - samples / (sequences x longest), for the minibatch
  /// of a worker. Empty if sequences are cut.
  std::optional<double> padding = {};
};

/// Counts the sequences that the options of an order cut or leave out.
///
/// Throws: ConfigError as make_sequencer; what Counts throws.
/// Cost:   reads the lengths of all sequences.
[[nodiscard]] LongReport count_long_sequences(const Counts& counts, const OrderOptions& order);

/// Plans and measures steps of a run for all workers. A run that is too short continues with more
/// epochs. The worker_index of the options has no effect.
///
/// Order:  the result depends only on the arguments, and is the same on every machine except for
///         rounding.
/// Pre:    counts is not null; steps_max is not negative; planned_max is positive.
/// Throws: ConfigError as make_sequencer; what Counts throws; what check_interruption() throws.
/// Cost:   plans about options.planned_max sequences once or twice; takes memory for each unit and
///         step, besides the memory of a sequencer.
[[nodiscard]] OrderReport measure_order(const std::shared_ptr<const Counts>& counts,
                                        const OrderOptions& order,
                                        const OrderReportOptions& options = {});

}  // namespace sheaf
