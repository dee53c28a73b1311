#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/keyed_walk.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

namespace sheaf {
namespace {

void check_keyed_place(const Place& place, const OrderOptions& options) {
  internal::check_form(place);
  const bool is_bucketed = options.batching == Batching::bucketed;
  const bool is_cost = options.unit == MinibatchUnit::cost;
  const std::size_t carry_max = (is_bucketed ? 1U : 0U) + (is_cost ? 1U : 0U);
  const bool is_negative = std::ranges::any_of(place.carry, [](auto each) { return each < 0; });
  if (place.carry.size() <= carry_max && !is_negative) return;
  const std::string_view takes = is_cost && is_bucketed
                                     ? "a cost and the number of a batch as carry"
                                 : is_cost     ? "a cost as carry"
                                 : is_bucketed ? "the number of a batch as carry"
                                               : "no carry";
  throw ConfigError(formatted("position: the order \"keyed\" takes {}: got {} numbers", takes,
                              place.carry.size()));
}

// Returns the sum of the costs of all sequences.
std::int64_t sum_of_costs(const Counts& counts, std::int64_t chunk_count) {
  constexpr std::int64_t kCostMax =
      internal::Epochs::kNever / 2;  // so that sums with places cannot overflow
  std::int64_t all = 0;
  for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) {
    all = internal::saturated_sum(all, counts.chunk_cost(ChunkIndex{chunk}));
  }
  if (all <= kCostMax) return all;
  throw ConfigError(
      formatted("unit \"cost\": the costs of all sequences are more than {} together", kCostMax));
}

}  // namespace

KeyedSequencer::Data::Data(const Counts& counts, const OrderOptions& options)
    : KeyedUnits(counts, options) {
  if (options.unit == MinibatchUnit::cost) cost = sum_of_costs(counts, units.chunk_count());
}

KeyedSequencer::KeyedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_window(options_, "keyed");
  internal::check_unit(*counts_, options_);
}

KeyedSequencer::~KeyedSequencer() = default;

std::string_view KeyedSequencer::algorithm() const noexcept { return "keyed/1"; }

std::map<std::string, std::string> KeyedSequencer::options() const {
  std::map<std::string, std::string> texts = internal::epoch_option_texts(options_);
  texts["seed"] = formatted("{}", options_.seed);
  texts.insert(internal::window_option_text(options_));
  if (options_.batching == Batching::bucketed) {
    texts["batching"] = to_string(options_.batching);
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
    texts["unit"] = to_string(options_.unit);
  } else if (options_.unit == MinibatchUnit::cost) {
    texts["unit"] = to_string(options_.unit);  // places carry costs
  }
  if (options_.sizes == Sizes::exact) texts["sizes"] = to_string(options_.sizes);
  if (options_.drop_last) {
    texts["drop_last"] = "true";
    // Decides which sequences are left out.
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
  }
  return texts;
}

// Of a few chunks that enter and leave whole, the window has all.
std::int64_t KeyedSequencer::window_chunks() const noexcept {
  const std::int64_t window = internal::window_chunks_of(options_);
  if (options_.worker_count > 1 || counts_->reads_parts()) return window;
  return std::max(window, internal::KeyedUnits::kWholeChunksMax);
}

// All units must be known before the first one can be chosen.
std::shared_ptr<const KeyedSequencer::Data> KeyedSequencer::data() const {
  const std::scoped_lock lock(mutex_);
  if (!data_) data_ = std::make_shared<const Data>(*counts_, options_);
  return data_;
}

std::unique_ptr<OrderCursor> KeyedSequencer::make_cursor() const {
  return std::make_unique<Walk>(*counts_, options_);
}

std::optional<Step> KeyedSequencer::step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const {
  check_keyed_place(from, options_);
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_data(data());
  return walk.step(from, room);
}

WindowChange KeyedSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const {
  auto& walk = internal::cursor_as<Walk>(cursor);
  if (walk.last_change().is_between(from, to)) return walk.last_change().change;
  std::vector<ChunkRange> before;
  if (from) {
    check_keyed_place(*from, options_);
    Walk other(*counts_, options_);
    other.set_data(data());
    before = other.window_at(*from);
  }
  check_keyed_place(to, options_);
  walk.set_data(data());
  return internal::change_between(std::move(before), walk.window_at(to));
}

Place KeyedSequencer::place_of(std::int64_t sample) const {
  Walk walk(*counts_, options_);
  walk.set_data(data());
  return walk.place_of(sample);
}

std::optional<Step> KeyedSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const {
  if (options_.batching == Batching::bucketed) {
    return Sequencer::sequence_at(sweep, number, cursor);
  }
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_data(data());
  return walk.sequence_at(sweep, number);
}

}  // namespace sheaf
