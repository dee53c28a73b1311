/// \file
/// The share of one worker in a minibatch that all workers see.

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/load_balancer.h"

namespace sheaf::internal {

/// Consecutive sequences of an order, of all workers.
struct DrawnSequences {
  std::vector<SequenceRef> sequences;
  std::vector<std::int64_t> samples;  // of each sequence, as costs; empty if nobody needs them
  std::vector<std::int64_t> costs;    // also empty if minibatches do not count costs
  // Worker that has the data of each sequence; empty with one worker.
  std::vector<std::int64_t> owners;
  std::vector<std::int64_t> sweeps;  // of each sequence; empty if all have the same
  std::int64_t sample_count = 0;     // of all sequences
  std::int64_t sweep = 0;            // of all sequences, if `sweeps` is empty
  std::int64_t turn = 0;             // number of the first sequence
};

/// Takes the share of one worker.
class WorkerShare {
 public:
  /// Lifetime: the options must outlive the object.
  explicit WorkerShare(const OrderOptions& options) noexcept : options_(options) {}

  /// Appends the sequences that this worker delivers to an empty step. Appends the sequences among
  /// them that lie in the data of other workers to Step::passed. With OrderAlgorithm::file, each
  /// sequence is delivered by its owner. Otherwise the options decide how the workers share the
  /// sequences.
  void take(DrawnSequences drawn, Step& step);

 private:
  void share_out(const DrawnSequences& drawn, std::vector<std::int64_t>& workers);

  const OrderOptions& options_;
  LoadBalancer balancer_;
  std::vector<std::int64_t> costs_;
};

}  // namespace sheaf::internal
