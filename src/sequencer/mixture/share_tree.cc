#include "sequencer/mixture/share_tree.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

namespace sheaf::internal {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns where to halve members that are sorted by descending weight. The halves are as even as
// possible, and have at least one member each.
std::size_t middle_of(std::span<const std::int64_t> members, std::span<const std::int64_t> weights,
                      std::int64_t sum) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i + 1 < members.size(); ++i) {
    const std::int64_t with = before + weights[static_cast<std::size_t>(members[i])];
    // Compares the larger halves with and without member i in the first half.
    if (std::max(with, sum - with) >= std::max(before, sum - before)) return i;
    before = with;
  }
  return members.size() - 1;
}

std::int64_t sum_of(std::span<const std::int64_t> members, std::span<const std::int64_t> weights) {
  std::int64_t sum = 0;
  for (const std::int64_t member : members) sum += weights[static_cast<std::size_t>(member)];
  return sum;
}

}  // namespace

ShareTree::ShareTree(std::span<const std::int64_t> weights) : leaves_(weights.size()) {
  std::vector<std::int64_t> members;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    leaves_[i].has_weight = weights[i] > 0;
    if (weights[i] > 0) members.push_back(static_cast<std::int64_t>(i));
  }
  assert(!members.empty());
  std::ranges::stable_sort(members, [&](std::int64_t a, std::int64_t b) {
    return weights[static_cast<std::size_t>(a)] > weights[static_cast<std::size_t>(b)];
  });
  nodes_.reserve(members.size() - 1);
  root_ = build(members, weights, -1);
}

// An inner node has at most 2/3 of the weight of its parent, so the tree has at most 106 levels.
std::int64_t ShareTree::build(std::span<const std::int64_t> members,
                              std::span<const std::int64_t> weights, std::int64_t parent) {
  if (members.size() == 1) {
    leaves_[static_cast<std::size_t>(members.front())].parent = parent;
    return ~members.front();
  }
  const std::int64_t sum = sum_of(members, weights);
  const std::size_t middle = std::max<std::size_t>(1, middle_of(members, weights, sum));
  const std::int64_t number = std::ssize(nodes_);
  nodes_.push_back(
      {.first_weight = static_cast<std::uint64_t>(sum_of(members.first(middle), weights)),
       .weight = static_cast<std::uint64_t>(sum),
       .parent = parent});
  const std::int64_t first = build(members.first(middle), weights, number);
  const std::int64_t second = build(members.subspan(middle), weights, number);
  nodes_[static_cast<std::size_t>(number)].first = first;
  nodes_[static_cast<std::size_t>(number)].second = second;
  return number;
}

// Returns round(draws * first_weight / weight), with halves rounded up.
std::int64_t ShareTree::first_count(const Node& node, std::int64_t draws) noexcept {
  const Wide size = Wide{2} * node.weight;
  const Wide point = Wide{2} * static_cast<std::uint64_t>(draws) * node.first_weight + node.weight;
  return static_cast<std::int64_t>(point / size);
}

// Returns the smallest k with first_count(k) >= n: 2 k first + weight >= 2 n weight.
std::int64_t ShareTree::draws_until_first(const Node& node, std::int64_t n) noexcept {
  if (n == 0) return 0;
  const Wide wanted = Wide{static_cast<std::uint64_t>(2 * n - 1)} * node.weight;
  const Wide step = Wide{2} * node.first_weight;
  const Wide draws = (wanted + step - 1) / step;
  return draws < static_cast<Wide>(kNever) ? static_cast<std::int64_t>(draws) : kNever;
}

// Returns the smallest k with k - first_count(k) >= n: 2 k second > (2 n - 1) weight.
std::int64_t ShareTree::draws_until_second(const Node& node, std::int64_t n) noexcept {
  if (n == 0) return 0;
  const Wide wanted = Wide{static_cast<std::uint64_t>(2 * n - 1)} * node.weight;
  const Wide step = Wide{2} * (node.weight - node.first_weight);
  const Wide draws = wanted / step + 1;
  return draws < static_cast<Wide>(kNever) ? static_cast<std::int64_t>(draws) : kNever;
}

ShareTree::Draw ShareTree::at(std::int64_t draw) const noexcept {
  std::int64_t at = root_;
  while (at >= 0) {
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    const std::int64_t first = first_count(node, draw);
    const bool is_first = first_count(node, draw + 1) > first;
    draw = is_first ? first : draw - first;
    at = is_first ? node.first : node.second;
  }
  return {.member = ~at, .ordinal = draw};
}

std::vector<std::int64_t> ShareTree::counts(std::int64_t draws) const {
  std::vector<std::int64_t> result(leaves_.size());
  if (root_ < 0) {
    result[static_cast<std::size_t>(~root_)] = draws;
    return result;
  }
  std::vector<std::int64_t> of_nodes(nodes_.size());
  of_nodes[static_cast<std::size_t>(root_)] = draws;
  const auto give = [&](std::int64_t child, std::int64_t count) {
    (child >= 0 ? of_nodes[static_cast<std::size_t>(child)]
                : result[static_cast<std::size_t>(~child)]) = count;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::int64_t first = first_count(nodes_[i], of_nodes[i]);
    give(nodes_[i].first, first);
    give(nodes_[i].second, of_nodes[i] - first);
  }
  return result;
}

std::int64_t ShareTree::draws_until(std::int64_t member, std::int64_t count) const noexcept {
  const Leaf& leaf = leaves_[static_cast<std::size_t>(member)];
  if (count == 0) return 0;
  if (!leaf.has_weight) return kNever;
  std::int64_t child = ~member;
  for (std::int64_t at = leaf.parent; at >= 0 && count < kNever;) {
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    count = node.first == child ? draws_until_first(node, count) : draws_until_second(node, count);
    child = at;
    at = node.parent;
  }
  return std::min(count, kNever);
}

ShareTree::Walk::Walk(const ShareTree& tree, std::int64_t draw)
    : states_(tree.nodes_.size()), root_(tree.root_) {
  if (root_ < 0) return;
  std::vector<std::int64_t> of_nodes(tree.nodes_.size());
  of_nodes[static_cast<std::size_t>(root_)] = draw;
  for (std::size_t i = 0; i < tree.nodes_.size(); ++i) {
    const Node& node = tree.nodes_[i];
    const Wide size = Wide{2} * node.weight;
    const Wide point =
        Wide{2} * static_cast<std::uint64_t>(of_nodes[i]) * node.first_weight + node.weight;
    states_[i] = {.rest = static_cast<std::uint64_t>(point % size),
                  .step = 2 * node.first_weight,
                  .size = 2 * node.weight,
                  .first = node.first,
                  .second = node.second};
    const auto first = static_cast<std::int64_t>(point / size);
    if (node.first >= 0) of_nodes[static_cast<std::size_t>(node.first)] = first;
    if (node.second >= 0) of_nodes[static_cast<std::size_t>(node.second)] = of_nodes[i] - first;
  }
}

}  // namespace sheaf::internal
