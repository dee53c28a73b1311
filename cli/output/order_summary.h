/// \file
/// What `sheaf order` finds out.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/order_report.h"
#include "sheaf/extend/sequencer.h"

namespace sheaf::cli {

/// A window, what it takes and what it gives.
struct WindowChoice {
  std::optional<std::int64_t> chunks = {};  // one of these two
  std::optional<std::int64_t> samples = {};
  double memory_bytes = 0;  // of a worker, with the index
  std::optional<double> noise = {};
  bool is_asked = false;  // that of the options
  bool is_fit = false;    // the largest within the memory limit
};

/// Something to know or to do.
struct Advice {
  std::string code;  // a name for programs
  std::string text;
};

/// An order, its cost, and what to make of it.
struct OrderSummary {
  std::string path = {};
  OrderOptions order = {};
  bool is_padded = false;     // the packing pads
  std::string noise_of = {};  // the stream whose values are looked at; empty: places in the file
  OrderReport report = {};
  std::optional<double> plain_padding = {};
  std::optional<double> bucketed_padding = {};
  std::int64_t index_bytes = 0;
  std::int64_t data_bytes = 0;          // of the file, as it is stored
  std::int64_t memory_limit_bytes = 0;  // 0: none
  double open_seconds = 0;
  std::optional<double> first_minibatch_seconds = {};
  std::string refusal = {};  // why there is no first minibatch: the memory limit is too small
  std::vector<WindowChoice> windows = {};
  std::vector<Advice> advice = {};

  [[nodiscard]] bool is_file() const noexcept { return order.algorithm == OrderAlgorithm::file; }
  [[nodiscard]] bool is_keyed() const noexcept { return order.algorithm == OrderAlgorithm::keyed; }

  /// Sequences that a worker has of a step, on average.
  [[nodiscard]] double sequences_of_worker() const noexcept {
    return report.all.sequences / static_cast<double>(order.worker_count);
  }

  /// Memory of one worker: the most that its window holds, and the index.
  [[nodiscard]] double memory_bytes() const noexcept {
    return report.held_bytes.value_or(0) + static_cast<double>(index_bytes);
  }

  /// Whether the workers hold all of the data, so that later sweeps read what is foreign alone.
  [[nodiscard]] bool holds_all() const noexcept {
    return is_keyed() && report.samples > 0 && report.held_samples_of_all >= report.samples;
  }

  /// Bytes of the file that all workers read in a sweep: in the first one, and in later ones.
  [[nodiscard]] double sweep_bytes() const noexcept {
    return static_cast<double>(data_bytes) * (1 + report.foreign_samples);
  }
  [[nodiscard]] double later_sweep_bytes() const noexcept {
    return sweep_bytes() - (holds_all() ? static_cast<double>(data_bytes) : 0);
  }
};

}  // namespace sheaf::cli
