// Workers draw evenly from their seats, so their loads in a step are nearly even already. Loads
// differ by chance, and because sequences have different lengths. Moving single sequences evens out
// the rest. Each move goes from the worker with the largest load to the one with the smallest, and
// takes the sequence whose cost comes nearest to the excess of the one and the lack of the other.

#include "sequencer/load_balancer.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>

namespace sheaf::internal {

void LoadBalancer::collect(std::span<const std::int64_t> costs, std::int64_t worker_count,
                           std::span<const std::int64_t> owners) {
  const auto count = static_cast<std::size_t>(worker_count);
  loads_.assign(count, 0);
  items_.resize(count);
  for (std::vector<std::int64_t>& items : items_) items.clear();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto owner = static_cast<std::size_t>(owners[i]);
    loads_[owner] += costs[i];
    items_[owner].push_back(static_cast<std::int64_t>(i));
  }
  most_.clear();
  least_.clear();
  for (std::size_t worker = 0; worker < count; ++worker) {
    most_.emplace_back(loads_[worker], -static_cast<std::int64_t>(worker));
    least_.emplace_back(loads_[worker], static_cast<std::int64_t>(worker));
  }
  std::ranges::make_heap(most_);
  std::ranges::make_heap(least_, std::greater<>());
}

std::int64_t LoadBalancer::most_loaded() {
  for (;;) {
    const std::int64_t worker = -most_.front().second;
    if (most_.front().first == loads_[static_cast<std::size_t>(worker)]) return worker;
    std::ranges::pop_heap(most_);
    most_.pop_back();
  }
}

std::int64_t LoadBalancer::least_loaded() {
  for (;;) {
    const std::int64_t worker = least_.front().second;
    if (least_.front().first == loads_[static_cast<std::size_t>(worker)]) return worker;
    std::ranges::pop_heap(least_, std::greater<>());
    least_.pop_back();
  }
}

void LoadBalancer::move(std::int64_t from, std::size_t item, std::int64_t to,
                        std::span<const std::int64_t> costs, std::span<std::int64_t> owners) {
  std::vector<std::int64_t>& items = items_[static_cast<std::size_t>(from)];
  const std::int64_t sequence = items[item];
  items[item] = items.back();
  items.pop_back();
  items_[static_cast<std::size_t>(to)].push_back(sequence);
  owners[static_cast<std::size_t>(sequence)] = to;
  const std::int64_t cost = costs[static_cast<std::size_t>(sequence)];
  loads_[static_cast<std::size_t>(from)] -= cost;
  loads_[static_cast<std::size_t>(to)] += cost;
  for (const std::int64_t worker : {from, to}) {
    const std::int64_t load = loads_[static_cast<std::size_t>(worker)];
    most_.emplace_back(load, -worker);
    std::ranges::push_heap(most_);
    least_.emplace_back(load, worker);
    std::ranges::push_heap(least_, std::greater<>());
  }
}

void LoadBalancer::share_out(std::span<const std::int64_t> costs, std::int64_t worker_count,
                             std::int64_t tolerance, std::span<std::int64_t> owners) {
  if (worker_count == 1 || costs.empty()) return;
  collect(costs, worker_count, owners);
  std::int64_t sum = 0;
  for (const std::int64_t cost : costs) sum += cost;
  const std::int64_t mean = sum / worker_count;
  const std::int64_t due =
      std::max(std::ranges::max(costs), (sum + worker_count - 1) / worker_count + mean / tolerance);
  // Each move makes the loads more even, so the loop ends anyway. The bound saves time.
  for (std::int64_t moves = 2 * std::ssize(costs) + worker_count; moves > 0; --moves) {
    const std::int64_t from = most_loaded();
    const std::int64_t load = loads_[static_cast<std::size_t>(from)];
    if (load <= due) break;
    const std::int64_t to = least_loaded();
    const std::int64_t gap = load - loads_[static_cast<std::size_t>(to)];
    const std::int64_t wanted = std::min(load - mean, mean - loads_[static_cast<std::size_t>(to)]);
    const std::vector<std::int64_t>& items = items_[static_cast<std::size_t>(from)];
    std::size_t best = items.size();
    std::int64_t best_distance = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::int64_t cost = costs[static_cast<std::size_t>(items[i])];
      if (cost <= 0 || cost >= gap) continue;
      const std::int64_t distance = std::abs(cost - wanted);
      if (best < items.size() && distance >= best_distance) continue;
      best = i;
      best_distance = distance;
    }
    if (best == items.size()) break;
    move(from, best, to, costs, owners);
  }
  if (std::ssize(costs) >= worker_count) fill_idle(costs, owners);
}

// Gives each worker without a sequence the cheapest sequence of the worker that has most sequences.
void LoadBalancer::fill_idle(std::span<const std::int64_t> costs, std::span<std::int64_t> owners) {
  for (std::size_t idle = 0; idle < items_.size(); ++idle) {
    if (!items_[idle].empty()) continue;
    const auto giver = std::ranges::max_element(
        items_, {}, [](const std::vector<std::int64_t>& items) { return items.size(); });
    const auto cheapest = std::ranges::min_element(
        *giver, {}, [&](std::int64_t item) { return costs[static_cast<std::size_t>(item)]; });
    move(giver - items_.begin(), static_cast<std::size_t>(cheapest - giver->begin()),
         static_cast<std::int64_t>(idle), costs, owners);
  }
}

}  // namespace sheaf::internal
