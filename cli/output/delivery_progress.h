/// \file
/// How far a run is that delivers minibatches.

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

/// What a run has delivered so far.
struct Delivered {
  std::int64_t minibatches = 0;
  std::int64_t samples = 0;
  std::optional<double> sweeps = {};            // that the run has gone through, 1.5 say
  double sweeps_before = 0;                     // where the run began
  std::optional<std::int64_t> sweeps_end = {};  // where the run ends; empty: nobody knows
  double seconds = 0;
};

/// Returns the line that people see.
[[nodiscard]] std::string delivery_text(const Delivered& delivered);

/// Shows how many minibatches came, how fast, and how long the run will take, a few times a second.
class DeliveryProgress {
 public:
  /// `size_bytes`: how large the data are.
  ///
  /// Lifetime: the arguments must outlive it.
  DeliveryProgress(Console& console, bool is_shown, const Deserializer& data,
                   const OrderOptions& order, std::int64_t size_bytes);

  /// Says where the run begins. Call once the first minibatch is there.
  void begin(const Place& place);

  /// Cheap.
  void update(const Minibatch& minibatch);

  /// The run is over: takes the line away.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<double> sweeps_at(const Place& place);

  Console& console_;
  const bool is_shown_;
  const Deserializer& data_;
  const bool is_file_order_;
  const bool counts_sequences_;  // place by place, and not parts of sequences
  const std::int64_t size_bytes_;
  std::int64_t samples_ = 0;  // of a sweep; 0: not counted yet
  Delivered delivered_;
  Clock::time_point begin_ = {};
  Clock::time_point next_ = {};
};

}  // namespace sheaf::cli
