/// \file
/// The draws of a mixture: which member each takes from, and where a sweep ends.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/mixture.h"

#include "sequencer/mixture/share_tree.h"

namespace sheaf::internal {

/// The draws of one sweep; with Exhausted::repeat, of the run.
///
/// The draws are divided into *stages* with a tree each: where the schedule has other weights, and,
/// with Exhausted::drop, where a member is exhausted.
///
/// Threads: all calls are safe from any number of threads.
/// Memory:  some 60 bytes for each member of each stage.
class MixtureDraws {
 public:
  /// Pre:    `sizes` are the numbers of sequences of the members; their sum is below 2^62.
  /// Throws: ConfigError where a member has no sequences and its weight asks for some, and where no
  ///         sweep can end.
  MixtureDraws(const Mixture& mixture, std::vector<std::int64_t> sizes);

  [[nodiscard]] std::int64_t member_count() const noexcept { return std::ssize(sizes_); }
  [[nodiscard]] Exhausted exhausted() const noexcept { return exhausted_; }
  [[nodiscard]] bool repeats() const noexcept { return exhausted_ == Exhausted::repeat; }

  /// Returns the number of sequences of each member.
  [[nodiscard]] const std::vector<std::int64_t>& sizes() const noexcept { return sizes_; }

  /// Returns the number of draws of a sweep.
  [[nodiscard]] std::int64_t sweep_size() const noexcept { return sweep_size_; }

  /// Returns whether a sweep delivers every sequence. With Exhausted::error, the run fails at the
  /// end of a sweep that does not.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }

  /// Returns the member that ends the sweep: the last one to be delivered, or, with
  /// Exhausted::stop and Exhausted::error, the one that the next draw would take from.
  [[nodiscard]] std::int64_t last_member() const noexcept { return last_member_; }

  /// Returns draw number `draw`: of the sweep, or of the run with Exhausted::repeat.
  ///
  /// Pre: draw >= 0; draw < sweep_size(), unless members repeat.
  [[nodiscard]] ShareTree::Draw at(std::int64_t draw) const;

  /// Returns how many of the first `draws` draws each member has.
  ///
  /// Pre: as for at(), of `draws` - 1.
  [[nodiscard]] std::vector<std::int64_t> counts(std::int64_t draws) const;

  /// Returns the weights that hold for a draw; with Exhausted::drop, of the members that are left.
  ///
  /// Pre: draw >= 0; sweep_size() > 0.
  [[nodiscard]] const std::vector<std::int64_t>& weights_at(std::int64_t draw) const {
    return stage_of(draw).weights;
  }

  /// Returns the part of `whole` that belongs to a member by its weight, in the stage where that is
  /// largest, rounded up.
  ///
  /// Pre: whole >= 0.
  [[nodiscard]] std::int64_t largest_part(std::int64_t member, std::int64_t whole) const;

  class Walk;

 private:
  struct Stage {
    std::int64_t first = 0;             // draw
    std::vector<std::int64_t> before;   // draws of each member before the stage
    std::vector<std::int64_t> weights;  // of those that are there
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

/// Goes from draw to draw.
///
/// Lifetime: the draws must outlive the walk.
class MixtureDraws::Walk {
 public:
  /// Stands before draw 0.
  explicit Walk(const MixtureDraws& draws) : draws_(draws) { go_to(0); }

  /// Pre: as for MixtureDraws::counts().
  void go_to(std::int64_t draw);

  [[nodiscard]] std::int64_t place() const noexcept { return place_; }

  /// Returns how many draws each member had so far.
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
