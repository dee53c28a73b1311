/// \file
/// A step's sequences shared out among workers.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sheaf::internal {

/// Shares the sequences of a step out, evenly, and so that most stay with the worker that has their
/// data. A function of its arguments alone; keeps its memory from call to call.
class LoadBalancer {
 public:
  /// Move sequences to other workers until none has more than its due: its part of the sum and a
  /// `tolerance`-th of that, or the cost of the costliest sequence where that is more; and until
  /// none is without, where there are as many sequences as workers. What cannot be met by moving
  /// single sequences is met as nearly as that goes.
  ///
  /// Pre:  costs and owners have one size; costs are not negative; 0 <= owners[i] < worker_count;
  ///       tolerance >= 1.
  /// Cost: the sequences and the workers; for each sequence moved, those of one worker.
  void share_out(std::span<const std::int64_t> costs, std::int64_t worker_count,
                 std::int64_t tolerance, std::span<std::int64_t> owners);

 private:
  using Load = std::pair<std::int64_t, std::int64_t>;  // of a worker: cost, number

  void collect(std::span<const std::int64_t> costs, std::int64_t worker_count,
               std::span<const std::int64_t> owners);
  [[nodiscard]] std::int64_t most_loaded();
  [[nodiscard]] std::int64_t least_loaded();
  void move(std::int64_t from, std::size_t item, std::int64_t to,
            std::span<const std::int64_t> costs, std::span<std::int64_t> owners);
  void fill_idle(std::span<const std::int64_t> costs, std::span<std::int64_t> owners);

  std::vector<std::int64_t> loads_;               // [worker]
  std::vector<std::vector<std::int64_t>> items_;  // [worker]: sequences
  std::vector<Load> most_;                        // heaps; an entry of another load than loads_
  std::vector<Load> least_;                       // has been overtaken
};

}  // namespace sheaf::internal
