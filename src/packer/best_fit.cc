#include "packer/best_fit.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

// Long sequences go first because they are the hardest to fit. Short sequences then fill the
// remaining room. The result has at most 11/9 of the optimal number of slots, plus a small
// constant.

namespace sheaf::internal {
namespace {

/// Returns the numbers of the sequences that have samples, longest first.
std::vector<std::int64_t> longest_first(std::span<const std::int64_t> lengths) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(lengths.size());
  for (std::int64_t i = 0; i < std::ssize(lengths); ++i) {
    if (lengths[static_cast<std::size_t>(i)] > 0) numbers.push_back(i);
  }
  std::ranges::stable_sort(numbers, std::ranges::greater(),
                           [&](std::int64_t i) { return lengths[static_cast<std::size_t>(i)]; });
  return numbers;
}

}  // namespace

BestFit best_fit(std::span<const std::int64_t> lengths, std::int64_t step_count) {
  BestFit result = {.slots = std::vector<std::int64_t>(lengths.size())};
  std::set<std::pair<std::int64_t, std::int64_t>> rooms;  // room and number of each slot that is
                                                          // not full
  for (const std::int64_t i : longest_first(lengths)) {
    const std::int64_t length = lengths[static_cast<std::size_t>(i)];
    assert(length <= step_count);
    std::int64_t& slot = result.slots[static_cast<std::size_t>(i)];
    const auto best = rooms.lower_bound({length, 0});
    if (best == rooms.end()) {
      slot = result.slot_count++;
      if (length < step_count) rooms.emplace(step_count - length, slot);
      continue;
    }
    auto node = rooms.extract(best);  // reinserted with less room, without an allocation
    slot = node.value().second;
    node.value().first -= length;
    if (node.value().first > 0) rooms.insert(std::move(node));
  }
  return result;
}

}  // namespace sheaf::internal
