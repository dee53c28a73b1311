#include "sequencer/mixture/mixed_sequencer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/mixture/mixed_walk.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

namespace sheaf::internal {

MixedSequencer::MixedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr && counts_->mixture() != nullptr);
  check_order(options_);
  if (options_.algorithm == OrderAlgorithm::cntk) {
    throw ConfigError(
        "order: a mixture has no order \"cntk\"; say \"keyed\" to shuffle, or \"file\"");
  }
  if (options_.algorithm == OrderAlgorithm::keyed) check_window(options_, "keyed");
  check_unit(*counts_, options_);
  check_mixture(counts_->mixture()->options, std::ssize(counts_->mixture()->names));
}

std::string_view MixedSequencer::algorithm() const noexcept {
  return options_.algorithm == OrderAlgorithm::keyed ? "mixture/1 keyed/1" : "mixture/1 file";
}

std::map<std::string, std::string> MixedSequencer::options() const {
  std::map<std::string, std::string> texts = epoch_option_texts(options_);
  texts["mixture"] = to_text(counts_->mixture()->options);
  if (options_.sweep_ends == SweepEnds::cut) texts["cut_at_sweep_end"] = "true";
  if (options_.algorithm == OrderAlgorithm::keyed) {
    texts["seed"] = formatted("{}", options_.seed);
    texts.insert(window_option_text(options_));
  }
  const bool is_bucketed = options_.batching == Batching::bucketed;
  if (is_bucketed) {
    texts["batching"] = to_string(options_.batching);
    texts["unit"] = to_string(options_.unit);
    if (options_.sizes == Sizes::exact) texts["sizes"] = to_string(options_.sizes);
  }
  // Minibatch_size decides which sequences are left out.
  if (options_.drop_last) texts["drop_last"] = "true";
  if (is_bucketed || options_.drop_last) {
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
  }
  return texts;
}

std::int64_t MixedSequencer::window_chunks() const noexcept {
  return options_.algorithm == OrderAlgorithm::keyed ? window_chunks_of(options_) : 1;
}

// All chunks must be known before the first draw.
std::shared_ptr<const MixedData> MixedSequencer::data() const {
  const std::scoped_lock lock(mutex_);
  if (!data_) data_ = std::make_shared<const MixedData>(*counts_, options_);
  return data_;
}

void MixedSequencer::check_place(const Place& place) const {
  check_form(place);
  const std::size_t most =
      (options_.epoch_size ? 1U : 0U) + (options_.batching == Batching::bucketed ? 1U : 0U);
  const bool is_negative = std::ranges::any_of(place.carry, [](auto each) { return each < 0; });
  if (place.carry.size() <= most && !is_negative) return;
  throw ConfigError(formatted(
      "position: the order of this mixture carries at most {} numbers from 0 on: got {}{}", most,
      place.carry.size(), is_negative ? ", one of them negative" : ""));
}

std::unique_ptr<OrderCursor> MixedSequencer::make_cursor() const {
  return std::make_unique<MixedWalk>(*counts_, options_);
}

std::optional<Step> MixedSequencer::step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const {
  check_place(from);
  auto& walk = cursor_as<MixedWalk>(cursor);
  walk.set_data(data());
  return walk.step(from, room);
}

WindowChange MixedSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const {
  auto& walk = cursor_as<MixedWalk>(cursor);
  if (walk.last_change().is_between(from, to)) return walk.last_change().change;
  std::vector<ChunkRange> before;
  if (from) {
    check_place(*from);
    MixedWalk other(*counts_, options_);
    other.set_data(data());
    before = other.window_at(*from);
  }
  check_place(to);
  walk.set_data(data());
  return change_between(std::move(before), walk.window_at(to));
}

Place MixedSequencer::place_of(std::int64_t sample) const {
  OrderOptions one = options_;
  one.minibatch_size = 1;
  one.unit = MinibatchUnit::sequences;
  one.worker_index = 0;
  one.worker_count = 1;
  one.batching = Batching::plain;
  one.sizes = Sizes::even;
  one.drop_last = false;
  one.epochs = std::nullopt;
  MixedWalk walk(*counts_, one);
  walk.set_data(data());
  Place place = walk.place_of(sample);
  Epochs(options_).check_begins(place);
  return place;
}

std::optional<Step> MixedSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const {
  if (options_.batching == Batching::bucketed) {
    return Sequencer::sequence_at(sweep, number, cursor);
  }
  auto& walk = cursor_as<MixedWalk>(cursor);
  walk.set_data(data());
  return walk.sequence_at(sweep, number);
}

}  // namespace sheaf::internal
