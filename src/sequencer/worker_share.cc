#include "sequencer/worker_share.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sequencer/equal_shares.h"
#include "sequencer/order_parts.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kTolerance = 64;  // a worker may exceed its share by a kTolerance-th

}  // namespace

void WorkerShare::take(DrawnSequences drawn, Step& step) {
  step.sweep = drawn.sweep;
  if (options_.worker_count == 1) {
    step.sample_count = drawn.sample_count;
    step.sequences = std::move(drawn.sequences);
    step.sweeps = std::move(drawn.sweeps);
    return;
  }
  std::vector<std::int64_t> workers = drawn.owners;
  const bool is_file = options_.algorithm == OrderAlgorithm::file;
  if (!is_file) share_out(drawn, workers);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] != options_.worker_index) continue;
    step.sequences.push_back(drawn.sequences[i]);
    step.sample_count += drawn.samples[i];
    if (!drawn.sweeps.empty()) step.sweeps.push_back(drawn.sweeps[i]);
    if (drawn.owners[i] == options_.worker_index) continue;
    step.passed.push_back({drawn.sequences[i].chunk, drawn.sequences[i].sequence, 1});
  }
}

// Sequences of like length also have like costs.
void WorkerShare::share_out(const DrawnSequences& drawn, std::vector<std::int64_t>& workers) {
  const bool is_cost = options_.balance == Balance::cost && options_.batching == Batching::plain;
  if (options_.sizes == Sizes::exact && !is_cost) {
    share_equally(options_.worker_count, drawn.turn, workers);
    return;
  }
  costs_ = options_.unit == MinibatchUnit::cost && is_cost ? drawn.costs : drawn.samples;
  if (!is_cost) std::ranges::fill(costs_, 1);
  balancer_.share_out(costs_, options_.worker_count, is_cost ? kTolerance : Epochs::kNever,
                      workers);
}

}  // namespace sheaf::internal
