/// \file
/// Shares the sequences of a step out among workers.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sheaf::internal {

/// Shares the sequences of a step out evenly, and leaves most of them with the worker that has
/// their data. The result depends on the arguments only. The object keeps its memory from call to
/// call.
class LoadBalancer {
 public:
  /// Moves sequences to other workers until no worker has more than its due. The due is an equal
  /// part of the sum and a `tolerance`-th of that part, or the cost of the costliest sequence if
  /// that is more. If there are at least as many sequences as workers, every worker gets at least
  /// one. If single moves cannot reach the due, the loads come as near to it as single moves can
  /// bring them.
  ///
  /// Pre:  costs and owners have the same size; costs are not negative; 0 <= owners[i] <
  ///       worker_count; tolerance >= 1.
  /// Cost: linear in the numbers of sequences and workers; for each sequence moved, also in the
  ///       number of sequences of one worker.
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
  std::vector<Load> most_;   // heap; an entry whose load differs from loads_ is outdated
  std::vector<Load> least_;  // heap, likewise
};

}  // namespace sheaf::internal
