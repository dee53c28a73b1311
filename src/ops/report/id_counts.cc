#include "ops/report/id_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace sheaf::internal {
namespace {

void add_counts(const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

std::int64_t filled(const std::vector<std::int64_t>& counts) {
  return std::ranges::count_if(counts, [](std::int64_t count) { return count > 0; });
}

}  // namespace

// Has a fast path for blocks whose ids all have a counter already: nearly all blocks.
void IdCounts::add(std::span<const std::int64_t> ids) {
  std::uint64_t largest = 0;
  for (const std::int64_t id : ids) largest = std::max(largest, static_cast<std::uint64_t>(id));
  if (largest < own_.size()) {
    std::int64_t* const own = own_.data();
    for (const std::int64_t id : ids) ++own[id];
    return;
  }
  for (const std::int64_t id : ids) add_far(static_cast<std::uint64_t>(id));
}

void IdCounts::add_far(std::uint64_t id) {
  if (id >= static_cast<std::uint64_t>(kOwn)) {
    if (shared_.empty()) shared_.resize(static_cast<std::size_t>(kOwn));
    ++shared_[spread_bits(id) % static_cast<std::uint64_t>(kOwn)];
    return;
  }
  if (id >= own_.size()) {
    own_.resize(static_cast<std::size_t>(std::bit_ceil(std::max<std::uint64_t>(id + 1, 16))));
  }
  ++own_[id];
}

void IdCounts::add(const IdCounts& other) {
  add_counts(other.own_, own_);
  add_counts(other.shared_, shared_);
}

std::int64_t IdCounts::total() const noexcept {
  return std::accumulate(own_.begin(), own_.end(), std::int64_t{0}) + shared_total();
}

std::int64_t IdCounts::shared_total() const noexcept {
  return std::accumulate(shared_.begin(), shared_.end(), std::int64_t{0});
}

// Linear counting: n ids leave a counter at zero with the probability exp(-n / counters).
std::int64_t IdCounts::seen() const {
  const std::int64_t own = filled(own_);
  if (shared_.empty()) return own;
  const auto bins = static_cast<double>(kOwn);
  const double empty = std::max(1.0, bins - static_cast<double>(filled(shared_)));
  return own + std::llround(bins * std::log(bins / empty));
}

BinCounts IdCounts::bins() const {
  BinCounts counts;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (own_[i] > 0) counts.push_back(static_cast<std::uint32_t>(i), own_[i]);
  }
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    if (shared_[i] > 0) counts.push_back(static_cast<std::uint32_t>(kOwn + i), shared_[i]);
  }
  return counts;
}

BinCounts IdBins::take() {
  BinCounts counts;
  for (std::uint32_t i = 0; i < kBins; ++i) {
    if (counts_[i] == 0) continue;
    counts.push_back(i, std::int64_t{counts_[i]});
    counts_[i] = 0;
  }
  return counts;
}

}  // namespace sheaf::internal
