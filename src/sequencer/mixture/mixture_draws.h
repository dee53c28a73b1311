/// \file
/// The draws of a mixture: the member of each draw, and the end of a sweep.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/mixture.h"

#include "sequencer/mixture/share_tree.h"

namespace sheaf::internal {

/// The draws of one sweep, or of the whole run with Exhausted::repeat.
///
/// The draws are divided into *stages*. Each stage has a tree of its own. A stage begins where the
/// schedule changes the weights, and, with Exhausted::drop, where a member is exhausted.
///
/// Threads: all calls are safe from any number of threads.
/// Memory:  about 60 bytes for each member of each stage.
class MixtureDraws {
 public:
  /// Pre:    `sizes` are the numbers of sequences of the members; their sum is below 2^62.
  /// Throws: ConfigError if a member has no sequences (unless Exhausted::drop is set), and if no
  ///         sweep can end.
  MixtureDraws(const Mixture& mixture, std::vector<std::int64_t> sizes);

  [[nodiscard]] std::int64_t member_count() const noexcept { return std::ssize(sizes_); }
  [[nodiscard]] Exhausted exhausted() const noexcept { return exhausted_; }
  [[nodiscard]] bool repeats() const noexcept { return exhausted_ == Exhausted::repeat; }

  /// Returns the number of sequences of each member.
  [[nodiscard]] const std::vector<std::int64_t>& sizes() const noexcept { return sizes_; }

  /// Returns the number of draws of a sweep.
  [[nodiscard]] std::int64_t sweep_size() const noexcept { return sweep_size_; }

  /// Returns whether a sweep delivers every sequence. If not, a run with Exhausted::error fails at
  /// the end of the sweep.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

  /// Returns the member that ends the sweep. With Exhausted::stop and Exhausted::error, this is the
  /// member that the next draw would take from. Otherwise it is the last member to be delivered
  /// completely.
  [[nodiscard]] std::int64_t last_member() const noexcept { return last_member_; }

  /// Returns draw number `draw` of the sweep, or of the run with Exhausted::repeat.
  ///
  /// Pre: draw >= 0; draw < sweep_size(), unless members repeat.
  [[nodiscard]] ShareTree::Draw at(std::int64_t draw) const;

  /// Returns how many of the first `draws` draws each member gets.
  ///
  /// Pre: as for at() with `draws` - 1.
  [[nodiscard]] std::vector<std::int64_t> counts(std::int64_t draws) const;

  /// Returns the weights at a draw. With Exhausted::drop, exhausted members have the weight 0.
  ///
  /// Pre: draw >= 0; sweep_size() > 0.
  [[nodiscard]] const std::vector<std::int64_t>& weights_at(std::int64_t draw) const {
    return stage_of(draw).weights;
  }

  /// Returns the part of `whole` that a member gets by its weight, rounded up, in the stage where
  /// this part is largest.
  ///
  /// Pre: whole >= 0.
  [[nodiscard]] std::int64_t largest_part(std::int64_t member, std::int64_t whole) const;

  class Walk;

 private:
  struct Stage {
    std::int64_t first = 0;             // first draw of the stage
    std::vector<std::int64_t> before;   // draws of each member before the stage
    std::vector<std::int64_t> weights;  // of exhausted members: 0
    ShareTree tree;
  };

  void build(const Mixture& mixture);
  void end_sweep(const Mixture& mixture);
  void check_sizes(const Mixture& mixture) const;
  void add_stage(std::int64_t first, std::vector<std::int64_t> weights);
  [[nodiscard]] std::int64_t draws_until(std::int64_t member, std::int64_t count) const;
  [[nodiscard]] const Stage& stage_of(std::int64_t draw) const;

  const Exhausted exhausted_;
  const std::vector<std::int64_t> sizes_;
  std::vector<Stage> stages_;
  std::int64_t sweep_size_ = 0;
  std::int64_t last_member_ = 0;
  bool is_complete_ = false;
};

/// A walk from draw to draw.
///
/// Lifetime: the draws must outlive the walk.
class MixtureDraws::Walk {
 public:
  /// Starts before draw 0.
  explicit Walk(const MixtureDraws& draws) : draws_(draws) { go_to(0); }

  /// Pre: as for MixtureDraws::counts().
  void go_to(std::int64_t draw);

  [[nodiscard]] std::int64_t place() const noexcept { return place_; }

  /// Returns how many draws each member has had so far.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const noexcept { return counts_; }

  /// Returns the next draw, and goes on.
  ///
  /// Pre: as for MixtureDraws::at().
  [[nodiscard]] ShareTree::Draw next() {
    if (place_ == stage_end_) enter_stage();
    ++place_;
    const std::int64_t member = walk_->next();
    return {.member = member, .ordinal = counts_[static_cast<std::size_t>(member)]++};
  }

 private:
  void enter_stage();

  const MixtureDraws& draws_;
  std::int64_t place_ = 0;
  std::int64_t stage_end_ = 0;
  std::vector<std::int64_t> counts_;
  std::optional<ShareTree::Walk> walk_;
};

}  // namespace sheaf::internal
