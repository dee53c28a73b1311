#include "sequencer/mixture/mixture_draws.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kNever = ShareTree::kNever;

std::size_t as_index(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace

MixtureDraws::MixtureDraws(const Mixture& mixture, std::vector<std::int64_t> sizes)
    : exhausted_(*mixture.options.exhausted), sizes_(std::move(sizes)) {
  check_sizes(mixture);
  build(mixture);
  end_sweep(mixture);
}

void MixtureDraws::check_sizes(const Mixture& mixture) const {
  if (exhausted_ == Exhausted::drop) return;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i] > 0) continue;
    throw ConfigError(
        formatted("mixture: {} has no sequences; leave the member out, or say exhausted=\"drop\"",
                  mixture.names[i]));
  }
}

void MixtureDraws::add_stage(std::int64_t first, std::vector<std::int64_t> weights) {
  std::vector<std::int64_t> before =
      stages_.empty() ? std::vector<std::int64_t>(sizes_.size()) : counts(first);
  ShareTree tree(weights);
  stages_.push_back({.first = first,
                     .before = std::move(before),
                     .weights = std::move(weights),
                     .tree = std::move(tree)});
}

// A stage of the schedule begins at its draw. With Exhausted::drop, it begins earlier if no member
// with a weight is left before. Without Exhausted::drop, no member leaves.
void MixtureDraws::build(const Mixture& mixture) {
  const std::vector<MixtureStage>& schedule = mixture.options.schedule;
  const bool drops = exhausted_ == Exhausted::drop;
  std::vector<std::int64_t> weights = mixture.options.weights;
  std::vector<std::int64_t> left = sizes_;
  std::size_t next_stage = 0;
  for (std::int64_t at = 0;;) {
    while (next_stage < schedule.size() && schedule[next_stage].from <= at) {
      weights = schedule[next_stage++].weights;
    }
    std::vector<std::int64_t> now = weights;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (drops && left[i] == 0) now[i] = 0;
    }
    if (std::ranges::all_of(now, [](auto weight) { return weight == 0; })) {
      if (next_stage == schedule.size()) {
        sweep_size_ = at;
        return;
      }
      weights = schedule[next_stage++].weights;
      continue;
    }
    add_stage(at, std::move(now));
    std::int64_t end = next_stage < schedule.size() ? schedule[next_stage].from : kNever;
    if (drops) {
      const Stage& stage = stages_.back();
      for (std::int64_t m = 0; m < member_count(); ++m) {
        const std::int64_t until = stage.tree.draws_until(m, left[as_index(m)]);
        if (stage.weights[as_index(m)] > 0) end = std::min(end, at + until);
      }
    }
    if (end >= kNever) return;
    at = end;
    if (!drops) continue;
    const std::vector<std::int64_t> drawn = counts(at);
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] > 0 && drawn[i] == sizes_[i]) last_member_ = static_cast<std::int64_t>(i);
      left[i] = sizes_[i] - drawn[i];
    }
  }
}

// Returns the number of draws, over all stages, after which a member has had `count` sequences.
std::int64_t MixtureDraws::draws_until(std::int64_t member, std::int64_t count) const {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const std::int64_t wanted = count - stage.before[as_index(member)];
    const std::int64_t until = stage.tree.draws_until(member, wanted);
    const std::int64_t end = i + 1 < stages_.size() ? stages_[i + 1].first : kNever;
    if (until < kNever - stage.first && stage.first + until <= end) return stage.first + until;
  }
  return kNever;
}

void MixtureDraws::end_sweep(const Mixture& mixture) {
  if (exhausted_ == Exhausted::drop) {
    is_complete_ = sweep_size_ > 0;
    return;
  }
  // With repeat, a sweep ends when every member has been delivered completely. Otherwise it ends
  // before the first draw for which a member has no sequence left.
  sweep_size_ = repeats() ? 0 : kNever;
  for (std::int64_t m = 0; m < member_count(); ++m) {
    const std::int64_t size = sizes_[as_index(m)];
    const std::int64_t end = repeats() ? draws_until(m, size) : draws_until(m, size + 1) - 1;
    if (end >= kNever - 1 || (repeats() ? end <= sweep_size_ : end >= sweep_size_)) continue;
    sweep_size_ = end;
    last_member_ = m;
  }
  if (sweep_size_ == 0 || sweep_size_ >= kNever) {
    throw ConfigError(formatted(
        "mixture: no sweep of {} members ends within 2^62 draws: the schedule leaves a member "
        "without draws, or a weight is too small",
        mixture.names.size()));
  }
  const std::int64_t all = std::accumulate(sizes_.begin(), sizes_.end(), std::int64_t{0});
  is_complete_ = repeats() || sweep_size_ == all;
}

const MixtureDraws::Stage& MixtureDraws::stage_of(std::int64_t draw) const {
  const auto behind = std::ranges::upper_bound(stages_, draw, {}, &Stage::first);
  return *(behind - 1);
}

ShareTree::Draw MixtureDraws::at(std::int64_t draw) const {
  const Stage& stage = stage_of(draw);
  ShareTree::Draw found = stage.tree.at(draw - stage.first);
  found.ordinal += stage.before[as_index(found.member)];
  return found;
}

std::vector<std::int64_t> MixtureDraws::counts(std::int64_t draws) const {
  if (draws == 0) return std::vector<std::int64_t>(sizes_.size());
  const Stage& stage = stage_of(draws - 1);
  std::vector<std::int64_t> result = stage.tree.counts(draws - stage.first);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += stage.before[i];
  return result;
}

std::int64_t MixtureDraws::largest_part(std::int64_t member, std::int64_t whole) const {
  __extension__ using Product = __int128;
  std::int64_t largest = 0;
  for (const Stage& stage : stages_) {
    const Product sum =
        std::accumulate(stage.weights.begin(), stage.weights.end(), std::int64_t{0});
    const Product part = (Product{whole} * stage.weights[as_index(member)] + sum - 1) / sum;
    largest = std::max(largest, static_cast<std::int64_t>(part));
  }
  return largest;
}

void MixtureDraws::Walk::go_to(std::int64_t draw) {
  place_ = draw;
  counts_ = draws_.counts(draw);
  walk_.reset();
  stage_end_ = draw;  // makes the next call enter the stage
}

void MixtureDraws::Walk::enter_stage() {
  const std::vector<Stage>& stages = draws_.stages_;
  const auto behind = std::ranges::upper_bound(stages, place_, {}, &Stage::first);
  const Stage& stage = *(behind - 1);
  stage_end_ = behind == stages.end() ? kNever : behind->first;
  walk_.emplace(stage.tree, place_ - stage.first);
}

}  // namespace sheaf::internal
