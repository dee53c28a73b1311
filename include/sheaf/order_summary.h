/// \file
/// Measures how good an order is and what the order costs, and gives advice.
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
  /// The stream whose values the order should mix: the first value of each sequence, or the first
  /// index of a sparse stream. Naming a stream makes summarize_order() read all data. If empty, the
  /// order should mix the numbers of the sequences in the file.
  std::string noise_of = {};

  /// How many steps to measure, no matter how long that takes. 0 means a sweep, or as many steps as
  /// take a few seconds.
  std::int64_t steps_max = 0;

  /// Formats an option for the texts of advice, in the way that users of the program write the
  /// option. `value` may be empty. The default gives "window_chunks=16", or "chunk_size" without a
  /// value.
  std::function<std::string(std::string_view name, std::string_view value)> option_text = {};

  /// The memory limit is the limit of the planned run. Progress covers the pass over the data that
  /// `noise_of` needs.
  OperationOptions run = {};
};

/// A window, the memory that the window takes, and the noise that it leaves.
struct WindowChoice {
  std::optional<std::int64_t> chunks = {};  // one of these two is set
  std::optional<std::int64_t> samples = {};
  double memory_bytes = 0;  // of a worker, with the index
  std::optional<double> noise = {};
  bool is_asked = false;  // whether this is the window of the options
  bool is_fit = false;    // whether this is the largest window within the memory limit
};

/// One recommendation or remark.
struct Advice {
  std::string code;  // a name for programs
  std::string text;
};

/// The measures of an order, its cost, and advice.
struct OrderSummary {
  OrderOptions order = {};
  std::string worker_source = {};  // who set index and count of the worker; empty: options
  bool is_padded = false;          // whether the packing pads
  std::string noise_of = {};       // as in the options
  OrderReport report = {};
  std::optional<double> plain_padding = {};  // this order's padding with Batching::plain
  std::optional<double> bucketed_padding = {};
  std::int64_t index_bytes = 0;
  std::int64_t data_bytes = 0;                       // of the files, as they are stored
  std::optional<std::int64_t> memory_limit_bytes{};  // empty: no limit
  double open_seconds = 0;                           // measured time for opening and indexing
  std::optional<double> first_minibatch_seconds = {};
  std::string refusal = {};  // why there is no first minibatch, if the memory limit is too small
  std::vector<WindowChoice> windows = {};  // ascending; empty if the order does not shuffle
  std::vector<Advice> advice = {};         // empty if there is nothing to improve

  [[nodiscard]] bool is_file() const noexcept { return order.algorithm == OrderAlgorithm::file; }
  [[nodiscard]] bool is_keyed() const noexcept { return order.algorithm == OrderAlgorithm::keyed; }

  /// Returns how many sequences of a step a worker delivers, on average.
  [[nodiscard]] double sequences_of_worker() const noexcept {
    return report.all.sequences / static_cast<double>(order.worker_count);
  }

  /// Returns the memory of one worker in bytes: the most that its window holds, plus the index.
  [[nodiscard]] double memory_bytes() const noexcept {
    return report.held_bytes.value_or(0) + static_cast<double>(index_bytes);
  }

  /// Returns whether the workers together hold all data. Later sweeps then read only foreign data.
  [[nodiscard]] bool holds_all() const noexcept {
    return is_keyed() && report.samples > 0 && report.held_samples_of_all >= report.samples;
  }

  /// Returns how many bytes of the files all workers together read in the first sweep.
  [[nodiscard]] double sweep_bytes() const noexcept {
    return static_cast<double>(data_bytes) * (1 + report.foreign_samples);
  }
  [[nodiscard]] double later_sweep_bytes() const noexcept {
    return sweep_bytes() - (holds_all() ? static_cast<double>(data_bytes) : 0);
  }
};

/// Plans a run for all workers, and measures the plan. Reads one minibatch, to measure the time;
/// with `noise_of`, reads all data. `max_errors` and `row_samples` of `read` have no effect,
/// because errors in the data do not matter here.
///
/// Determinism: the summary, except the seconds and the memory of the index, depends only on the
///              data and the options.
/// Throws:      ConfigError as make_sequencer, and if `noise_of` is not the name of a stream whose
///              numbers differ; IoError; DataError if the data cannot be indexed.
[[nodiscard]] OrderSummary summarize_order(const std::shared_ptr<const Deserializer>& data,
                                           const ReadSpec& read,
                                           const OrderSummaryOptions& options = {});

/// Opens data and calls summarize_order(). The options replace the executor and the memory limit of
/// `context`.
///
/// Throws: also what open() throws.
[[nodiscard]] OrderSummary summarize_order(const Spec& spec,
                                           const OrderSummaryOptions& options = {},
                                           OpenContext context = {});

/// Returns a summary as the JSON object that `sheaf order --json` prints, with a newline at the
/// end. `path` is the name of the data.
[[nodiscard]] std::string to_json(const OrderSummary& summary, std::string_view path);

}  // namespace sheaf
