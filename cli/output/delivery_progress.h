/// \file
/// The progress of a run that delivers minibatches.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/minibatch.h"
#include "sheaf/order.h"

#include "output/console.h"

namespace sheaf::cli {

/// The minibatches that a run has delivered so far.
struct Delivered {
  std::int64_t minibatches = 0;
  std::int64_t samples = 0;
  std::optional<double> sweeps = {};            // sweeps done, such as 1.5; empty: unknown
  double sweeps_before = 0;                     // sweeps done at the start of the run
  std::optional<std::int64_t> sweeps_end = {};  // sweeps at the end of the run; empty: unknown
  double seconds = 0;
};

/// Returns the line of progress.
[[nodiscard]] std::string delivery_text(const Delivered& delivered);

/// Shows the number of minibatches, the speed and the remaining time, a few times a second.
class DeliveryProgress {
 public:
  /// `size_bytes` is the size of the data.
  ///
  /// Lifetime: `console` and `data` must outlive the object.
  DeliveryProgress(Console& console, bool is_shown, const Deserializer& data,
                   const OrderOptions& order, std::int64_t size_bytes);

  /// Sets the place where the run begins. Call after the first minibatch has arrived, so that the
  /// time of opening the data does not count.
  void begin(const Place& place);

  /// Counts a minibatch. Cheap.
  void update(const Minibatch& minibatch);

  /// Ends the run and removes the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<double> sweeps_at(const Place& place);

  Console& console_;
  const bool is_shown_;
  const Deserializer& data_;
  const bool is_file_order_;
  const bool counts_sequences_;  // whether minibatches have whole sequences
  const std::int64_t size_bytes_;
  std::int64_t samples_ = 0;  // samples of a sweep; 0: not counted yet
  Delivered delivered_;
  Clock::time_point begin_ = {};
  Clock::time_point next_ = {};
};

}  // namespace sheaf::cli
