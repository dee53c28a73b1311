#include "sequencer/length_batches.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/permutation.h"

namespace sheaf::internal {
namespace {

// Returns the ends of batches of sequences sorted by length. Each batch is as long as `size`
// allows.
std::vector<std::int64_t> cut(std::span<const std::int64_t> ascending, std::int64_t size,
                              MinibatchUnit unit) {
  std::vector<std::int64_t> ends;
  std::int64_t begin = 0;
  const std::int64_t count = std::ssize(ascending);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t longest = ascending[static_cast<std::size_t>(i)];
    // Rounds down, so that nothing can overflow.
    const std::int64_t fitting =
        unit == MinibatchUnit::sequences || longest == 0 ? size : size / longest;
    if (i > begin && i - begin + 1 > fitting) {
      ends.push_back(i);
      begin = i;
    }
  }
  if (begin < count) ends.push_back(count);
  return ends;
}

// Cuts into equally many batches as cut(), but of more equal sizes. So the last batch is not just a
// small rest.
std::vector<std::int64_t> cut_evenly(std::span<const std::int64_t> ascending, std::int64_t size,
                                     MinibatchUnit unit) {
  std::vector<std::int64_t> ends = cut(ascending, size, unit);
  std::int64_t too_small = 0;
  std::int64_t enough = size;
  while (enough - too_small > 1) {
    const std::int64_t middle = too_small + (enough - too_small) / 2;
    std::vector<std::int64_t> other = cut(ascending, middle, unit);
    if (other.size() <= ends.size()) {
      enough = middle;
      ends = std::move(other);
    } else {
      too_small = middle;
    }
  }
  return ends;
}

}  // namespace

LengthBatches batches_by_length(std::span<const std::int64_t> lengths, std::int64_t size,
                                MinibatchUnit unit, std::uint64_t key) {
  std::vector<std::int64_t> by_length(lengths.size());
  std::iota(by_length.begin(), by_length.end(), std::int64_t{0});
  const auto length_of = [&](std::int64_t i) { return lengths[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(by_length, {}, length_of);
  std::vector<std::int64_t> ascending(lengths.size());
  std::ranges::transform(by_length, ascending.begin(), length_of);
  const std::vector<std::int64_t> ends = cut_evenly(ascending, size, unit);

  LengthBatches batches;
  if (ends.empty()) return batches;
  const KeyedPermutation shuffled(key, std::ssize(ends));
  for (std::int64_t i = 0; i < shuffled.size(); ++i) {
    const auto batch = static_cast<std::size_t>(shuffled(i));
    const auto begin = by_length.begin() + (batch == 0 ? 0 : ends[batch - 1]);
    const auto end = by_length.begin() + ends[batch];
    std::sort(begin, end);
    batches.sequences.insert(batches.sequences.end(), begin, end);
    batches.ends.push_back(std::ssize(batches.sequences));
  }
  return batches;
}

}  // namespace sheaf::internal
