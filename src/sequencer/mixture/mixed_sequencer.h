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
/// All workers see the same minibatches. A minibatch has at least one sequence, at most
/// minibatch_size of what OrderOptions::unit counts, and sequences in the order of the draws.
/// Workers share a minibatch as under `keyed`. In file order, each worker takes every
/// worker_count-th draw. A position of one worker belongs to all workers, and to any other number
/// of workers. With Batching::plain and without drop_last, it also belongs to other minibatch
/// sizes.
///
/// Each sequence of a step carries the sweep of its member. A place counts sweeps of the mixture
/// (see Exhausted). Under `keyed`, no minibatch has sequences of two sweeps of the mixture, unless
/// members repeat.
///
/// All chunks must be known before the first step.
///
/// Memory: as the orders of the members, and about 200 bytes for each member.
class MixedSequencer final : public Sequencer {
 public:
  /// Pre:    counts->mixture() is not null.
  /// Throws: ConfigError if an option is out of range, or if the order is not `file` or `keyed`.
  MixedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;

  /// Cost: linear in the number of draws before the place.
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: logarithmic in the number of members; plus the cost of the order of one member.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  [[nodiscard]] std::shared_ptr<const MixedData> data() const;
  void check_place(const Place& place) const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MixedData> data_;  // cache, under the mutex; null until needed
};

}  // namespace sheaf::internal
