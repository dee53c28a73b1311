#include "packer/first_fit.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

// A linear search of the slots for each sequence would take minutes for a hundred thousand
// sequences. So the slots are the leaves of a binary tree in an array: node 1 is the root, and
// nodes 2i and 2i + 1 are the children of node i. Each node has the largest room of any slot below
// it. One walk down the tree finds the first slot with enough room: it goes left if the left child
// has enough. Slots that are not in use yet are leaves with full room. They fit any sequence and
// come last. When all slots are in use and none fits, the tree doubles its leaves.

namespace sheaf::internal {
namespace {

std::size_t at(std::int64_t node) noexcept { return static_cast<std::size_t>(node); }

}  // namespace

FirstFit::FirstFit(std::int64_t step_count) : step_count_(step_count), room_(2, step_count) {
  assert(step_count >= 0);
}

FirstFit::Start FirstFit::add(std::int64_t length) {
  assert(0 < length && length <= step_count_);
  if (room_[1] < length) grow();
  std::int64_t node = 1;
  while (node < leaf_count_) {
    node *= 2;
    if (room_[at(node)] < length) ++node;
  }
  const Start start = {.slot = node - leaf_count_, .begin = step_count_ - room_[at(node)]};
  slot_count_ = std::max(slot_count_, start.slot + 1);
  room_[at(node)] -= length;
  while (node > 1) {
    node /= 2;
    room_[at(node)] = std::max(room_[at(2 * node)], room_[at(2 * node + 1)]);
  }
  return start;
}

// The old tree becomes the left half of the new tree, so each of its levels moves to twice its
// index.
void FirstFit::grow() {
  std::vector<std::int64_t> grown(at(4 * leaf_count_), step_count_);
  for (std::int64_t width = 1; width <= leaf_count_; width *= 2) {
    std::copy_n(room_.begin() + width, width, grown.begin() + 2 * width);
  }
  room_ = std::move(grown);
  leaf_count_ *= 2;
}

}  // namespace sheaf::internal
