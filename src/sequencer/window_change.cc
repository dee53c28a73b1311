#include "sequencer/window_change.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sheaf::internal {
namespace {

std::vector<ChunkRange> difference(const std::vector<ChunkRange>& set,
                                   const std::vector<ChunkRange>& other) {
  std::vector<ChunkRange> result;
  std::ranges::set_difference(set, other, std::back_inserter(result));
  return result;
}

}  // namespace

void make_set(std::vector<ChunkRange>& ranges) {
  std::ranges::sort(ranges);
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
}

std::vector<ChunkRange> without(std::vector<ChunkRange> ranges, std::vector<ChunkRange> others) {
  make_set(ranges);
  if (others.empty()) return ranges;
  make_set(others);
  return difference(ranges, others);
}

WindowChange change_between(std::vector<ChunkRange> from, std::vector<ChunkRange> to) {
  make_set(from);
  make_set(to);
  return {.load = difference(to, from), .release = difference(from, to)};
}

}  // namespace sheaf::internal
