/// \file
/// The order of a mixture.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/mixture/mixed_data.h"

namespace sheaf::internal {

/// The order "mixture/1", over the order `file` or `keyed` of each member. docs/how-to/mixtures.md
/// explains the construction.
///
/// All workers look at the same minibatches: a minibatch has at most minibatch_size of what
/// OrderOptions::unit counts, but at least one sequence, in the order of the draws. Workers share a
/// minibatch as under `keyed`; in file order, each worker takes every worker_count-th draw. A
/// position of one worker belongs to all workers, to any other number of workers, and, with
/// Batching::plain and without drop_last, to other minibatch sizes.
///
/// Each sequence of a step carries the sweep of its member. A place counts sweeps of the mixture
/// (Exhausted). Under `keyed`, no minibatch has sequences of two sweeps of the mixture, unless
/// members repeat.
///
/// Needs to know all chunks before the first step.
///
/// Memory: as the orders of the members, and some 200 bytes for each member.
class MixedSequencer final : public Sequencer {
 public:
  /// Pre:    counts->mixture() is not null.
  /// Throws: ConfigError where an option is out of range, and for other orders than the two.
  MixedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;

  /// Cost: the draws before the place.
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: logarithmic in the number of members, and as that of the order of one member.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  [[nodiscard]] std::shared_ptr<const MixedData> data() const;
  void check_place(const Place& place) const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MixedData> data_;  // cache, under the mutex: null until asked for
};

}  // namespace sheaf::internal
