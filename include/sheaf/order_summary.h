/// \file
/// Says how good an order is, what the order costs, and what would be better.
///
///     sheaf::Spec spec;
///     spec.data.content = sheaf::FilesSpec{.files = {"train.ctf"}};
///     spec.read.order.worker_count = 4;
///     const sheaf::OrderSummary summary = sheaf::summarize_order(spec);
///     for (const sheaf::Advice& advice : summary.advice) std::cout << advice.code << '\n';

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/open.h"
#include "sheaf/operation.h"
#include "sheaf/order.h"
#include "sheaf/spec.h"

namespace sheaf {

struct OrderSummaryOptions {
  /// The stream whose values are to be mixed: the first value of each sequence, or the first index
  /// of a sparse stream. Reads all of the data. Empty: the places of the sequences in the file.
  std::string noise_of = {};

  /// How many steps to measure, however long that takes; 0: a sweep, or as much as takes seconds.
  std::int64_t steps_max = 0;

  /// Writes an option for the texts of advice, as the program's users write the option. `value` may
  /// be empty. By default "window_chunks=16", and "chunk_size" without a value.
  std::function<std::string(std::string_view name, std::string_view value)> option_text = {};

  /// The memory limit is that of the run for which the order is meant. Progress tells of the pass
  /// that `noise_of` takes.
  OperationOptions run = {};
};

/// A window, the memory that the window takes, and the noise that it leaves.
struct WindowChoice {
  std::optional<std::int64_t> chunks = {};  // one of these two
  std::optional<std::int64_t> samples = {};
  double memory_bytes = 0;  // of a worker, with the index
  std::optional<double> noise = {};
  bool is_asked = false;  // the window of the options
  bool is_fit = false;    // the largest within the memory limit
};

/// Something to know or to do.
struct Advice {
  std::string code;  // a name for programs
  std::string text;
};

/// An order, its cost, and what to make of it.
struct OrderSummary {
  OrderOptions order = {};
  std::string worker_source = {};  // who described the worker, for the report; empty: the options
  bool is_padded = false;          // the packing pads
  std::string noise_of = {};       // as in the options
  OrderReport report = {};
  std::optional<double> plain_padding = {};  // of this order with either batching
  std::optional<double> bucketed_padding = {};
  std::int64_t index_bytes = 0;
  std::int64_t data_bytes = 0;                       // of the files, as they are stored
  std::optional<std::int64_t> memory_limit_bytes{};  // empty: no limit
  double open_seconds = 0;  // measured, as is the next: opening and indexing
  std::optional<double> first_minibatch_seconds = {};
  std::string refusal = {};  // why there is no first minibatch: the memory limit is too small
  std::vector<WindowChoice> windows = {};  // ascending; none where the order does not shuffle
  std::vector<Advice> advice = {};         // none where all is well

  [[nodiscard]] bool is_file() const noexcept { return order.algorithm == OrderAlgorithm::file; }
  [[nodiscard]] bool is_keyed() const noexcept { return order.algorithm == OrderAlgorithm::keyed; }

  /// Returns how many sequences a worker has of a step, on average.
  [[nodiscard]] double sequences_of_worker() const noexcept {
    return report.all.sequences / static_cast<double>(order.worker_count);
  }

  /// Returns the memory of one worker: the most that its window holds, and the index.
  [[nodiscard]] double memory_bytes() const noexcept {
    return report.held_bytes.value_or(0) + static_cast<double>(index_bytes);
  }

  /// Returns whether the workers hold all of the data, so that later sweeps read only what is
  /// foreign.
  [[nodiscard]] bool holds_all() const noexcept {
    return is_keyed() && report.samples > 0 && report.held_samples_of_all >= report.samples;
  }

  /// Returns the bytes of the files that all workers read in a sweep: in the first, and in later
  /// ones.
  [[nodiscard]] double sweep_bytes() const noexcept {
    return static_cast<double>(data_bytes) * (1 + report.foreign_samples);
  }
  [[nodiscard]] double later_sweep_bytes() const noexcept {
    return sweep_bytes() - (holds_all() ? static_cast<double>(data_bytes) : 0);
  }
};

/// Plans what a run would deliver, for all workers, and measures the plan. Of the data it reads one
/// minibatch, for the time that takes; with `noise_of` all. Of `read`, `max_errors` has no effect,
/// nor has the number of `row_samples`: wrong data do not matter here.
///
/// Determinism: the summary depends on the data and the options alone, but for the seconds and the
///              memory of the index.
/// Throws:      ConfigError as make_sequencer, and where `noise_of` names no stream with different
///              numbers; IoError; DataError where the data cannot be indexed.
[[nodiscard]] OrderSummary summarize_order(const std::shared_ptr<const Deserializer>& data,
                                           const ReadSpec& read,
                                           const OrderSummaryOptions& options = {});

/// The same for data that are to be opened. Executor and memory limit of `context` are those of the
/// options.
///
/// Throws: also what open() throws.
[[nodiscard]] OrderSummary summarize_order(const Spec& spec,
                                           const OrderSummaryOptions& options = {},
                                           OpenContext context = {});

/// Returns a summary as the JSON object that `sheaf order --json` prints, with a newline. `path` is
/// what the data are called.
[[nodiscard]] std::string to_json(const OrderSummary& summary, std::string_view path);

}  // namespace sheaf
