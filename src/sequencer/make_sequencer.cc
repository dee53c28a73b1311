#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/text.h"
#include "sequencer/mixture/mixed_sequencer.h"
#include "sequencer/order_parts.h"
#include "sequencer/piece_sequencer.h"
#include "sequencer/pieces.h"
#include "sequencer/truncated_sequencer.h"

namespace sheaf {
namespace {

constexpr std::int64_t kWindowBytes = std::int64_t{4} << 30;

std::unique_ptr<Sequencer> make_whole(std::shared_ptr<const Counts> counts,
                                      const OrderOptions& options) {
  if (counts->mixture() != nullptr) {
    return std::make_unique<internal::MixedSequencer>(std::move(counts), options);
  }
  if (options.algorithm == OrderAlgorithm::cntk) {
    return std::make_unique<RandomSequencer>(std::move(counts), options);
  }
  if (options.algorithm == OrderAlgorithm::keyed) {
    return std::make_unique<KeyedSequencer>(std::move(counts), options);
  }
  return std::make_unique<LinearSequencer>(std::move(counts), options);
}

std::unique_ptr<Sequencer> make_truncated(std::shared_ptr<const Counts> counts,
                                          const OrderOptions& options) {
  internal::check_truncation(options);
  OrderOptions one = options;  // one sequence a step
  one.minibatch_size = 1;
  one.timeline = Timeline::local;
  std::unique_ptr<Sequencer> sequences = make_whole(counts, one);
  return std::make_unique<internal::TruncatedSequencer>(std::move(counts), std::move(sequences),
                                                        options);
}

}  // namespace

std::int64_t default_window_chunks(std::int64_t chunk_size_bytes) noexcept {
  return std::max<std::int64_t>(1, kWindowBytes / std::max<std::int64_t>(1, chunk_size_bytes));
}

std::int64_t truncated_slot_count(const OrderOptions& options) noexcept {
  const std::int64_t length = std::max<std::int64_t>(1, options.truncation_length.value_or(1));
  const std::int64_t slots = std::max<std::int64_t>(1, options.minibatch_size / length);
  const std::int64_t more = slots % options.worker_count > options.worker_index ? 1 : 0;
  return slots / options.worker_count + more;
}

Place Sequencer::place_of(std::int64_t sample) const {
  if (sample == 0) return {};
  throw ConfigError(
      formatted("position: the order \"{}\" cannot tell where sample {} is", algorithm(), sample));
}

std::unique_ptr<OrderCursor> Sequencer::make_cursor() const {
  return std::make_unique<OrderCursor>();
}

WindowChange Sequencer::window_change(const std::optional<Place>& /*from*/, const Place& /*to*/,
                                      OrderCursor& /*cursor*/) const {
  return {};
}

std::optional<Step> Sequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                           OrderCursor& /*cursor*/) const {
  throw ConfigError(
      formatted("sequence_at: the order \"{}\" cannot tell which sequence is number {} of sweep {}",
                algorithm(), number, sweep));
}

std::unique_ptr<Sequencer> make_sequencer(std::shared_ptr<const Counts> counts,
                                          const OrderOptions& options) {
  internal::check_order(options);
  internal::check_cuts(*counts, options);
  if (options.truncation_length) return make_truncated(std::move(counts), options);
  const std::optional<internal::PieceRule> rule = internal::piece_rule(options);
  if (!rule) return make_whole(std::move(counts), options);
  auto piece_counts = std::make_shared<const internal::PieceCounts>(counts, *rule);
  std::unique_ptr<Sequencer> pieces = make_whole(std::move(piece_counts), options);
  return std::make_unique<internal::PieceSequencer>(std::move(counts), *rule, std::move(pieces));
}

}  // namespace sheaf
