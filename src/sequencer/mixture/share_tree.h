/// \file
/// Shares draws out among members by integer weights.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

/// Tells which member each draw takes from, as a pure function of the number of the draw.
///
/// The members are the leaves of a binary tree that is halved by weight. Of the first k draws of a
/// node, round(k * weight of the first half / weight of the node) go to the first half, and the
/// others go to the second half. So every half differs by at most 1/2 from its share of the node.
/// Each node passes its own difference on to its halves in proportion to their weights. No inner
/// node has more than 2/3 of the weight of its parent. Therefore a member differs from its share by
/// less than 2.
///
/// Memory: about 40 bytes for each member.
class ShareTree {
 public:
  /// A draw of a member.
  struct Draw {
    std::int64_t member = 0;
    std::int64_t ordinal = 0;  // draws of the member before this one

    friend bool operator==(const Draw&, const Draw&) = default;
  };

  /// Pre: weights are not negative; their sum is from 1 to 2^62.
  explicit ShareTree(std::span<const std::int64_t> weights);

  [[nodiscard]] std::int64_t member_count() const noexcept { return std::ssize(leaves_); }

  /// Returns draw number `draw`.
  ///
  /// Pre:  0 <= draw < 2^62.
  /// Cost: log(sum of the weights / weight of the member).
  [[nodiscard]] Draw at(std::int64_t draw) const noexcept;

  /// Returns how many of the first `draws` draws each member has.
  [[nodiscard]] std::vector<std::int64_t> counts(std::int64_t draws) const;

  /// Returns the number of draws after which a member has had `count` of them. Returns kNever if
  /// the number would be 2^62 or more, or if the member has no weight.
  ///
  /// Pre: count >= 0.
  [[nodiscard]] std::int64_t draws_until(std::int64_t member, std::int64_t count) const noexcept;

  static constexpr std::int64_t kNever = std::int64_t{1} << 62;

  /// A walk from draw to draw, with two additions at each node.
  class Walk;

 private:
  /// A node with two halves. A child is the number of a node, or ~member.
  struct Node {
    std::uint64_t first_weight = 0;
    std::uint64_t weight = 0;  // of both halves together
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t parent = -1;  // number of a node; -1: none
  };

  /// The parent of a member.
  struct Leaf {
    std::int64_t parent = -1;
    bool has_weight = false;
  };

  [[nodiscard]] static std::int64_t first_count(const Node& node, std::int64_t draws) noexcept;
  [[nodiscard]] static std::int64_t draws_until_first(const Node& node, std::int64_t n) noexcept;
  [[nodiscard]] static std::int64_t draws_until_second(const Node& node, std::int64_t n) noexcept;
  std::int64_t build(std::span<const std::int64_t> members, std::span<const std::int64_t> weights,
                     std::int64_t parent);

  std::vector<Node> nodes_;   // a node comes before its halves
  std::vector<Leaf> leaves_;  // [member]
  std::int64_t root_ = 0;
};

class ShareTree::Walk {
 public:
  /// Starts before draw number `draw`.
  ///
  /// Lifetime: the tree must outlive the walk.
  Walk(const ShareTree& tree, std::int64_t draw);

  /// Returns the member of the next draw, and goes on.
  [[nodiscard]] std::int64_t next() noexcept {
    std::int64_t at = root_;
    while (at >= 0) {
      State& state = states_[static_cast<std::size_t>(at)];
      state.rest += state.step;
      const bool is_first = state.rest >= state.size;
      if (is_first) state.rest -= state.size;
      at = is_first ? state.first : state.second;
    }
    return ~at;
  }

 private:
  // Holds twice the weights, so that rounding to the nearest number needs no fractions.
  struct State {
    std::uint64_t rest = 0;
    std::uint64_t step = 0;
    std::uint64_t size = 0;
    std::int64_t first = 0;
    std::int64_t second = 0;
  };

  std::vector<State> states_;  // [node]
  std::int64_t root_;
};

}  // namespace sheaf::internal
