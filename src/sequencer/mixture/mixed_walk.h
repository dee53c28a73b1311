/// \file
/// A walk over the draws of a mixture that cuts them into minibatches.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/length_batches.h"
#include "sequencer/mixture/mixed_data.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"
#include "sequencer/worker_share.h"

namespace sheaf::internal {

/// The cursor of MixedSequencer.
class MixedWalk final : public OrderCursor {
 public:
  /// Lifetime: `counts` and `options` must outlive the walk.
  MixedWalk(const Counts& counts, const OrderOptions& options)
      : counts_(counts), options_(options), epochs_(options), share_(options) {}

  /// Pre: the data are the same in every call. The calls below need the data.
  void set_data(const std::shared_ptr<const MixedData>& data);

  /// Do the same as the functions of Sequencer. place_of() needs options with one sequence in a
  /// minibatch.
  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] const LastChange& last_change() const noexcept { return last_change_; }
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  using WindowState = std::pair<std::int64_t, std::int64_t>;

  /// The state of a member.
  struct Member {
    std::unique_ptr<MemberOrder> order;   // null until the first draw
    std::unique_ptr<MemberOrder> lookup;  // for sequence_at(); null until needed
    SequenceSizes samples;
    SequenceSizes costs;
    std::int64_t sweep = 0;  // of the next draw, as `number`
    std::int64_t number = 0;
    bool is_there = false;    // whether `order` stands at the next draw
    bool is_changed = false;  // whether the window may have changed since settle_windows()
    WindowState state = {};
    std::vector<ChunkRange> window;  // as settle_windows() found it
  };

  /// The sequences of a step, and whether a sweep or an epoch ends with them.
  struct Drawn : DrawnSequences {
    bool ends_sweep = false;
    bool ends_epoch = false;
  };

  /// The windows of the members whose windows changed, and all ranges that entered in between.
  struct Windows {
    std::vector<ChunkRange> before;
    std::vector<ChunkRange> after;
    std::vector<ChunkRange> entered;  // not in `before`
  };

  /// A run of batches of like length.
  struct Run {
    Place begin;
    Place next;
    Drawn drawn;
    LengthBatches batches;
    Windows windows;
  };

  [[nodiscard]] bool check(const Place& from) const;
  void check_sweep(std::int64_t sweep) const;
  void seek(const Place& place);
  void enter(std::int64_t sweep, std::int64_t number);
  [[nodiscard]] MemberOrder& order_of(std::int64_t member);
  void take(std::int64_t size, const StepRoom& room, Drawn& drawn);
  void take_whole(std::int64_t count, const StepRoom& room, Drawn& drawn);
  [[nodiscard]] bool has_minibatch(const StepRoom& room);
  [[nodiscard]] bool settle(Drawn& drawn);
  void append(Drawn& drawn, std::int64_t member, const MemberOrder::Sequence& sequence,
              std::int64_t samples, std::int64_t cost);
  void note_window(Member& member, std::int64_t number);
  void mark_window(Member& member, std::int64_t number);
  void mark_windows();
  [[nodiscard]] Windows settle_windows();
  [[nodiscard]] std::vector<ChunkRange> window() const;
  [[nodiscard]] Place place() const;
  [[nodiscard]] Place begin_of_run(const Place& place, std::int64_t& batch) const;
  void begin_run(const Place& begin);
  [[nodiscard]] Step batch_step(const Place& from);
  [[nodiscard]] Step own_part(Drawn drawn, const Place& from, const Place& next,
                              std::vector<ChunkRange> passed, WindowChange change);
  [[nodiscard]] bool is_over(const Place& place) const noexcept {
    return epochs_.is_over(place.epoch);
  }
  [[nodiscard]] bool has_epoch_size() const noexcept { return options_.epoch_size.has_value(); }
  [[nodiscard]] bool cuts_sweeps() const noexcept;
  [[nodiscard]] bool fails_at_end() const noexcept {
    return draws().exhausted() == Exhausted::error && !draws().is_complete();
  }
  [[nodiscard]] const MixtureDraws& draws() const noexcept { return data_->draws(); }

  const Counts& counts_;
  const OrderOptions& options_;
  const Epochs epochs_;
  std::shared_ptr<const MixedData> data_;

  std::vector<Member> members_;
  std::optional<MixtureDraws::Walk> walk_;  // stands behind next_
  std::optional<ShareTree::Draw> next_;     // empty until needed
  std::vector<std::int64_t> weights_;       // of the stage of the current windows
  std::vector<std::int64_t> changed_;       // members whose windows may have changed
  std::vector<ChunkRange> entered_;         // ranges of windows that draws took from

  // The place of the walk. `is_settled_` is false after an exception in the middle of a step.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_ = 0;
  std::int64_t number_ = 0;
  std::int64_t sample_ = 0;
  std::int64_t epoch_sample_ = 0;
  bool is_settled_ = false;

  std::optional<Run> run_;
  LastChange last_change_;
  WorkerShare share_;
};

}  // namespace sheaf::internal
