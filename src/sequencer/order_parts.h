/// \file
/// The common parts of the orders: checks, epochs, shares of workers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

namespace sheaf::internal {

/// Checks the options that every order uses.
///
/// Throws: ConfigError that names the option and the valid range.
void check_order(const OrderOptions& options);

/// Checks that the data declare costs if minibatches count costs.
///
/// Throws: ConfigError that says why the data declare none.
void check_unit(const Counts& counts, const OrderOptions& options);

/// Checks the options of truncated sequences.
///
/// Throws: ConfigError as above.
void check_truncation(const OrderOptions& options);

/// Checks that the data allow the order to cut sequences if the order does so.
///
/// Throws: ConfigError that names the option that cuts.
void check_cuts(const Counts& counts, const OrderOptions& options);

/// Checks that exactly one window is set, as the order named `algorithm` needs it.
///
/// Throws: ConfigError as above.
void check_window(const OrderOptions& options, std::string_view algorithm);

/// Does the same as Sequencer::window_chunks(), for an order that must know all chunks.
[[nodiscard]] std::int64_t window_chunks_of(const OrderOptions& options) noexcept;

/// Returns the option that sets the window, as name and value.
///
/// Pre: check_window() found nothing wrong.
[[nodiscard]] std::pair<std::string, std::string> window_option_text(const OrderOptions& options);

/// Returns the options that every order uses and that change the delivered sequences, by name. The
/// number of epochs is not among them, since a run may go on with more epochs.
[[nodiscard]] std::map<std::string, std::string> order_option_texts(const OrderOptions& options);

/// Returns the options among these that define an epoch.
[[nodiscard]] std::map<std::string, std::string> epoch_option_texts(const OrderOptions& options);

/// Returns the options among these that identify the worker.
[[nodiscard]] std::map<std::string, std::string> worker_option_texts(const OrderOptions& options);

/// Checks that the numbers of a place are in their ranges.
///
/// Throws: ConfigError.
void check_form(const Place& place);

/// Reports that a place lies behind the data, which have `sequence_count` sequences.
///
/// Throws: ConfigError.
[[noreturn]] void throw_beyond(const Place& place, std::int64_t sequence_count);

/// Checks that `sample` samples lie before the sequence that a place names.
///
/// Throws: ConfigError.
void check_sample(const Place& place, std::int64_t sample);

/// The samples of each sequence of a chunk, and whether all sequences have equally many. Finding
/// this out takes a pass, so it is done once for each chunk.
struct ChunkSamples {
  explicit ChunkSamples(SampleCounts samples)
      : counts(std::move(samples)), constant(counts.constant()) {}

  SampleCounts counts;
  std::optional<std::int64_t> constant;
};

/// Returns the samples of the sequences of a chunk.
///
/// Throws: InternalError if `counts` do not have `sequence_count` sequences; the exceptions of
///         Counts.
[[nodiscard]] ChunkSamples chunk_samples(const Counts& counts, ChunkIndex chunk,
                                         std::int64_t sequence_count);

/// Returns the costs of the sequences of a chunk.
///
/// Pre:    check_unit() found nothing wrong.
/// Throws: InternalError if the costs break the contract of Counts; the exceptions of Counts.
[[nodiscard]] ChunkSamples chunk_costs(const Counts& counts, ChunkIndex chunk,
                                       std::int64_t sequence_count);

/// Returns a step of one sequence, for Sequencer::sequence_at().
///
/// Pre:    the sequence is one of the `sequence_count` sequences of its chunk.
/// Throws: as chunk_samples().
[[nodiscard]] Step single_step(const Counts& counts, const SequenceRef& sequence,
                               std::int64_t sequence_count);

/// Returns the unit that a sequence lies in. If the chunk is a single unit, returns the whole
/// chunk, with the count kAll.
///
/// Pre:    the sequence exists.
/// Throws: the exceptions of Counts.
[[nodiscard]] ChunkRange unit_of(const Counts& counts, const SequenceRef& sequence);

/// Sets the sweep of the sequences of a step, from number `first` on.
void name_sweep(Step& step, std::size_t first, std::int64_t sweep);

/// Returns the cursor as the type `Cursor` that a sequencer made.
///
/// Throws: InternalError if another kind of sequencer made the cursor.
template <typename Cursor>
[[nodiscard]] Cursor& cursor_as(OrderCursor& cursor) {
  static_assert(std::is_final_v<Cursor>);  // otherwise typeid would not be enough
  if (typeid(cursor) == typeid(Cursor)) return static_cast<Cursor&>(cursor);
  throw InternalError("sequencer: the cursor is that of another sequencer");
}

/// The most that a step may take, in what OrderOptions::unit counts: of all workers together, and
/// of this worker.
struct Request {
  std::int64_t all = 0;
  std::int64_t own = 0;
};

[[nodiscard]] Request request_of(const OrderOptions& options) noexcept;

/// The ends of epochs.
class Epochs {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit Epochs(const OrderOptions& options) noexcept
      : sweeps_(options.sweeps.value_or(0)),
        size_(options.epoch_size.value_or(0)),
        count_(options.epochs.value_or(0)) {}

  /// Returns how many samples of a sweep come before the end of an epoch, or kNever if the epoch
  /// ends in a later sweep. A sequence that starts at or behind this sample belongs to the next
  /// epoch.
  ///
  /// Pre:    `sweep_samples` is the size of a sweep, or `sweep` is 0.
  /// Throws: ConfigError if epochs count samples, and the previous sweep had none.
  [[nodiscard]] std::int64_t end_in_sweep(std::int64_t epoch, std::int64_t sweep,
                                          std::int64_t sweep_samples) const;

  /// Returns whether the run is over before this epoch begins.
  [[nodiscard]] bool is_over(std::int64_t epoch) const noexcept {
    return count_ > 0 && epoch >= count_;
  }

  /// Returns the epoch that a place lies in.
  [[nodiscard]] std::int64_t epoch_of(std::int64_t sweep, std::int64_t sample,
                                      std::int64_t sweep_samples) const noexcept;

  /// Checks that the run is not over at a place.
  ///
  /// Throws: ConfigError.
  void check_begins(const Place& place) const;

  /// Checks that a place lies in the epoch that it names, or where the previous epoch ended.
  ///
  /// Throws: ConfigError.
  void check(const Place& place, std::int64_t sweep_samples) const;

 private:
  std::int64_t sweeps_;  // 0 means endless
  std::int64_t size_;    // 0 means that epochs count sweeps
  std::int64_t count_;   // 0 means endless
};

}  // namespace sheaf::internal
