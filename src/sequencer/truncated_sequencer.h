/// \file
/// Cuts sequences into pieces for truncated backpropagation through time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "core/cut_lengths.h"

namespace sheaf::internal {

/// Fills a fixed number of slots with sequences in the order of an inner sequencer. Each step
/// delivers truncation_length samples of each slot. A sequence continues in its slot where the
/// previous step left it. A wrong sequence (CutLengths) takes no room in its slot: its piece has no
/// sample, and is there for its error. After kWrongMax wrong sequences, the slot gets no more
/// sequences in this step. So a step stays small if all sequences are wrong, and their errors are
/// found even in an endless epoch.
///
/// A place carries the rest of the sequence in each slot, as three numbers (four for a mixture).
///
/// The window has the window of the inner sequencer, and the units of sequences in slots that the
/// inner window does not have.
class TruncatedSequencer final : public Sequencer {
 public:
  /// The most wrong sequences that a slot takes in one step.
  static constexpr std::int64_t kWrongMax = 256;

  /// Pre: `sequences` orders `counts` and gives one sequence a step; `options` are the options of
  ///      the whole order, with at most as many workers as slots.
  TruncatedSequencer(std::shared_ptr<const Counts> counts, std::unique_ptr<Sequencer> sequences,
                     const OrderOptions& options);

  [[nodiscard]] std::string_view algorithm() const noexcept override {
    return sequences_->algorithm();
  }
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override {
    return sequences_->window_chunks();
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return sequences_->memory_bytes(); }
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override {
    return sequences_->place_of(sample);
  }

  /// Throws: ConfigError always, since the order delivers pieces of several sequences at a time.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  /// A sequence in a slot.
  struct Piece {
    SequenceRef sequence;
    std::int64_t sweep = 0;
    std::int64_t first = 0;  // next sample
    std::int64_t end = 0;    // samples of the sequence
    bool ends_sweep = false;
  };
  using Slots = std::vector<std::deque<Piece>>;

  /// The content of a place.
  struct State {
    Place place;               // place of the inner sequencer
    bool is_draining = false;  // whether the epoch has no more sequences
    Slots slots;
  };

  class Cursor;

  [[nodiscard]] bool is_mixed() const noexcept { return counts_->mixture() != nullptr; }
  [[nodiscard]] State state_at(const Place& from) const;
  [[nodiscard]] Place place_at(const State& state) const;
  void fill(State& state, Cursor& cursor, const StepRoom& room) const;
  void check_has_samples() const;
  void deliver(State& state, Step& step) const;
  [[nodiscard]] std::optional<std::int64_t> length_of(const SequenceRef& sequence) const;

  std::shared_ptr<const Counts> counts_;
  const CutLengths* lengths_;  // of counts_; null: the numbers of samples
  std::unique_ptr<Sequencer> sequences_;
  std::int64_t minibatch_size_;
  std::int64_t length_;
  std::int64_t slot_count_;
  bool never_ends_;  // whether an epoch without samples has no end
  std::size_t numbers_per_slot_;
  std::map<std::string, std::string> worker_texts_;
};

}  // namespace sheaf::internal
