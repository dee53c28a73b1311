/// \file
/// What one worker delivers of a minibatch that all workers look at.

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/load_balancer.h"

namespace sheaf::internal {

/// Sequences of an order, one after the other, of all workers.
struct DrawnSequences {
  std::vector<SequenceRef> sequences;
  std::vector<std::int64_t> samples;  // of each, here and below; empty where nobody asks
  std::vector<std::int64_t> costs;    // empty where minibatches do not count costs, too
  std::vector<std::int64_t> owners;   // in whose data it lies; empty where there is one worker
  std::vector<std::int64_t> sweeps;   // empty where all have the same
  std::int64_t sample_count = 0;      // of all
  std::int64_t sweep = 0;             // of all, where `sweeps` is empty
  std::int64_t turn = 0;              // the number of the first sequence
};

/// Takes the part of one worker.
class WorkerShare {
 public:
  /// Lifetime: the options must outlive the object.
  explicit WorkerShare(const OrderOptions& options) noexcept : options_(options) {}

  /// Appends to an empty step the sequences that the worker delivers, and to Step::passed those of
  /// them that lie in the data of other workers. With OrderAlgorithm::file, each sequence is its
  /// owner's; else the options say how the workers share the sequences.
  void take(DrawnSequences drawn, Step& step);

 private:
  void share_out(const DrawnSequences& drawn, std::vector<std::int64_t>& workers);

  const OrderOptions& options_;
  LoadBalancer balancer_;
  std::vector<std::int64_t> costs_;
};

}  // namespace sheaf::internal
