#include "sequencer/mixture/mixture_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/mixture/mixed_data.h"
#include "sequencer/mixture/mixture_draws.h"

namespace sheaf::internal {
namespace {

/// Adds up the sequences and samples that steps deliver.
class MixtureMeter {
 public:
  explicit MixtureMeter(const Counts& counts)
      : counts_(counts),
        ends_(counts.member_ends()),
        draws_(*counts.mixture(), sizes_of_members(counts)),
        asked_(ends_.size()) {
    const Mixture& mixture = *counts.mixture();
    report_.exhausted = draws_.exhausted();
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      report_.members.push_back({.name = mixture.names[i], .weight = mixture.options.weights[i]});
    }
  }

  /// `from` is the place of the step. All batches of a run begin at the place of the run, so the
  /// meter counts their sequences on from there.
  void add(const Step& step, const Place& from, bool is_bucketed) {
    for (std::size_t i = 0; i < step.sequences.size(); ++i) {
      const SequenceRef& ref = step.sequences[i];
      const auto chunk = static_cast<std::int64_t>(ref.chunk);
      const auto number = std::ranges::upper_bound(ends_, chunk) - ends_.begin();
      MemberReport& member = report_.members[static_cast<std::size_t>(number)];
      const bool is_whole = step.slices.empty() || step.slices[i].count == SampleRange::kAll;
      ++member.sequences;
      member.samples += is_whole ? length_of(ref) : step.slices[i].count;
    }
    const std::int64_t count = std::ssize(step.sequences);
    if (!is_bucketed) {
      draw_ = from.sequence + (draws_.repeats() ? from.sweep * draws_.sweep_size() : 0);
    }
    ask(count);
    report_.draws += count;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const auto delivered = static_cast<double>(report_.members[i].sequences);
      report_.largest_deviation =
          std::max(report_.largest_deviation, std::abs(delivered - asked_[i]));
    }
  }

  [[nodiscard]] std::int64_t draws() const noexcept { return report_.draws; }

  [[nodiscard]] MixtureReport finish(bool is_whole) {
    report_.is_whole = is_whole;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      MemberReport& member = report_.members[i];
      const auto draws = static_cast<double>(std::max<std::int64_t>(1, report_.draws));
      member.asked = asked_[i] / draws;
      const std::int64_t size = draws_.sizes()[i];
      if (size > 0) {
        member.times = static_cast<double>(member.sequences) / static_cast<double>(size);
      }
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::int64_t length_of(const SequenceRef& ref) {
    auto found = lengths_.find(ref.chunk);
    if (found == lengths_.end()) {
      if (lengths_.size() >= kTablesMax) lengths_.clear();
      found = lengths_.emplace(ref.chunk, counts_.sample_counts(ref.chunk)).first;
    }
    return found->second[ref.sequence];
  }

  // Adds the shares that the schedule asks for in the next `count` draws, even of members that have
  // left the mixture.
  void ask(std::int64_t count) {
    const MixtureOptions& options = counts_.mixture()->options;
    while (count > 0) {
      if (!draws_.repeats() && draw_ >= draws_.sweep_size()) draw_ = 0;
      const auto next = std::ranges::upper_bound(options.schedule, draw_, {}, &MixtureStage::from);
      const std::vector<std::int64_t>& weights =
          next == options.schedule.begin() ? options.weights : (next - 1)->weights;
      std::int64_t taken = count;
      if (next != options.schedule.end()) taken = std::min(taken, next->from - draw_);
      if (!draws_.repeats()) taken = std::min(taken, draws_.sweep_size() - draw_);
      const auto sum =
          static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t{0}));
      for (std::size_t i = 0; i < asked_.size(); ++i) {
        asked_[i] += static_cast<double>(taken) * static_cast<double>(weights[i]) / sum;
      }
      draw_ += taken;
      count -= taken;
    }
  }

  static constexpr std::size_t kTablesMax = 256;

  const Counts& counts_;
  const std::vector<std::int64_t> ends_;
  const MixtureDraws draws_;
  std::vector<double> asked_;  // sequences of each member
  std::int64_t draw_ = 0;
  std::unordered_map<ChunkIndex, SampleCounts> lengths_;
  MixtureReport report_;
};

}  // namespace

std::optional<MixtureReport> measure_mixture(const std::shared_ptr<const Counts>& counts,
                                             const OrderOptions& order, std::int64_t planned_max) {
  if (counts->mixture() == nullptr) return std::nullopt;
  OrderOptions one = order;
  one.worker_index = 0;
  one.worker_count = 1;
  one.epochs = 1;
  const std::unique_ptr<Sequencer> sequencer = make_sequencer(counts, one);
  const std::unique_ptr<OrderCursor> cursor = sequencer->make_cursor();
  MixtureMeter meter(*counts);
  const bool is_bucketed = order.batching == Batching::bucketed;
  Place place;
  while (meter.draws() < planned_max) {
    const std::optional<Step> step = sequencer->step(place, *cursor, {});
    if (!step) return meter.finish(true);
    meter.add(*step, place, is_bucketed);
    place = step->next;
  }
  return meter.finish(false);
}

}  // namespace sheaf::internal
