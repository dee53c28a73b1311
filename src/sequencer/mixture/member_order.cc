#include "sequencer/mixture/member_order.h"

#include <algorithm>
#include <cstddef>

#include "base/permutation.h"
#include "sequencer/keyed_sweep.h"
#include "sequencer/order_parts.h"

namespace sheaf::internal {
namespace {

using Which = KeyedSweep::Which;

/// The order "keyed/1" of a member.
class KeyedMember final : public MemberOrder {
 public:
  KeyedMember(const MemberData& data, const OrderOptions& options)
      : data_(data), worker_{options.worker_index, options.worker_count} {
    begin_sweep(0);
  }

  void go_to(std::int64_t sweep, std::int64_t number) override {
    if (sweep != sweep_number_) begin_sweep(sweep);
    const std::int64_t tick = sweep_->tick_of(number);
    if (tick != tick_number_) enter_tick(tick);
    number_ = number;
    current_.reset();
    const std::int64_t offset = number - sweep_->first_of(tick);
    tick_left_ = tick_->size() - offset;
    if (tick_left_ > 0) tick_->go_to(offset);
    skip_empty_ticks();
  }

  [[nodiscard]] const Sequence& peek() override {
    if (!current_) {
      const KeyedTick::Sequence found = tick_->next();
      current_ = Sequence{found.chunk, found.number, tick_->owner_of(found)};
    }
    return *current_;
  }

  void advance() override {
    static_cast<void>(peek());
    current_.reset();
    --tick_left_;
    if (++number_ == data_.keyed.units.sequence_count()) {
      begin_sweep(sweep_number_ + 1);
    } else {
      skip_empty_ticks();
    }
  }

  void append_window(std::vector<ChunkRange>& window) const override {
    sweep_->append_own(tick_number_, Which::all, worker_, window);
  }

  // With one lap, all places have the same window.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> window_state() const override {
    if (sweep_->tick_count() == 1) return {0, 0};
    return {sweep_number_, tick_number_};
  }

 private:
  void begin_sweep(std::int64_t number) {
    sweep_.emplace(data_.keyed.units, data_.keyed.laps, data_.seed, number);
    sweep_number_ = number;
    number_ = 0;
    enter_tick(0);
    skip_empty_ticks();
  }

  void enter_tick(std::int64_t tick) {
    tick_.emplace(*sweep_, tick, worker_.count);
    tick_number_ = tick;
    tick_left_ = tick_->size();
    if (tick_left_ > 0) tick_->go_to(0);
  }

  void skip_empty_ticks() {
    while (tick_left_ == 0) enter_tick(tick_number_ + 1);
  }

  const MemberData& data_;
  const Worker worker_;
  std::optional<KeyedSweep> sweep_;
  std::optional<KeyedTick> tick_;
  std::int64_t sweep_number_ = 0;
  std::int64_t tick_number_ = 0;
  std::int64_t tick_left_ = 0;
  std::int64_t number_ = 0;
  std::optional<Sequence> current_;  // empty until peek()
};

/// The order "file" of a member. Its window is the unit of the next sequence, since a step may take
/// only a few sequences of a unit and leave the others to the next steps.
class FileMember final : public MemberOrder {
 public:
  explicit FileMember(const MemberData& data) : data_(data) { go_to(0, 0); }

  void go_to(std::int64_t /*sweep*/, std::int64_t number) override {
    const std::vector<std::int64_t>& starts = data_.chunk_starts;
    const auto behind = std::ranges::upper_bound(starts, number);
    chunk_ = behind - starts.begin() - 1;
    current_ = {ChunkIndex{chunk_}, number - *(behind - 1), 0};
    find_unit();
  }

  [[nodiscard]] const Sequence& peek() override { return current_; }

  void advance() override {
    if (++current_.number == end_of_chunk()) {
      do {
        if (++chunk_ == std::ssize(data_.chunk_starts) - 1) chunk_ = 0;
      } while (end_of_chunk() == 0);
      current_ = {ChunkIndex{chunk_}, 0, 0};
    }
    if (!unit_.contains(current_.chunk, current_.number)) find_unit();
  }

  void append_window(std::vector<ChunkRange>& window) const override { window.push_back(unit_); }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> window_state() const override {
    return {static_cast<std::int64_t>(unit_.chunk), unit_.first};
  }

 private:
  [[nodiscard]] std::int64_t end_of_chunk() const {
    const auto i = static_cast<std::size_t>(chunk_);
    return data_.chunk_starts[i + 1] - data_.chunk_starts[i];
  }
  void find_unit() { unit_ = unit_of(data_.counts, {current_.chunk, current_.number}); }

  const MemberData& data_;
  std::int64_t chunk_ = 0;
  Sequence current_;
  ChunkRange unit_;
};

}  // namespace

SequenceSizes::SequenceSizes(const Counts& counts, const UnitMap& units, Kind kind)
    : counts_(counts),
      units_(units),
      kind_(kind),
      of_each_(static_cast<std::size_t>(units.chunk_count()), -1) {}

std::int64_t SequenceSizes::look_up(ChunkIndex chunk, std::int64_t sequence) {
  auto found = tables_.find(chunk);
  if (found == tables_.end()) {
    const std::int64_t count = units_.sequence_count(chunk);
    ChunkSamples sizes = kind_ == Kind::samples ? chunk_samples(counts_, chunk, count)
                                                : chunk_costs(counts_, chunk, count);
    if (sizes.constant) return of_each_[static_cast<std::size_t>(chunk)] = *sizes.constant;
    if (tables_.size() >= kTablesMax) tables_.clear();
    found = tables_.emplace(chunk, std::move(sizes.counts)).first;
  }
  return found->second[sequence];
}

MemberData::MemberData(const Counts& all, std::int64_t first_chunk, std::int64_t end_chunk,
                       const OrderOptions& options, std::uint64_t member_seed)
    : counts(all, first_chunk, end_chunk), keyed(counts, options), seed(member_seed) {
  std::int64_t sum = 0;
  for (std::int64_t chunk = 0; chunk < keyed.units.chunk_count(); ++chunk) {
    chunk_starts.push_back(sum);
    sum += keyed.units.sequence_count(ChunkIndex{chunk});
  }
  chunk_starts.push_back(sum);
}

std::unique_ptr<MemberOrder> member_order(const MemberData& data, const OrderOptions& options) {
  if (options.algorithm == OrderAlgorithm::keyed) {
    return std::make_unique<KeyedMember>(data, options);
  }
  return std::make_unique<FileMember>(data);
}

}  // namespace sheaf::internal
