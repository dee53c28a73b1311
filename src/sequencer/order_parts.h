/// \file
/// What the orders have in common: checks, epochs, shares of workers.

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

/// Check the options that every order uses.
///
/// Throws: ConfigError that names the option and the valid range.
void check_order(const OrderOptions& options);

/// Checks that the data declare costs where minibatches count costs.
///
/// Throws: ConfigError that says why the data declare none.
void check_unit(const Counts& counts, const OrderOptions& options);

/// Check the options of truncated sequences.
///
/// Throws: ConfigError as above.
void check_truncation(const OrderOptions& options);

/// Check that one window is set, as an order by this name needs it.
///
/// Throws: ConfigError as above.
void check_window(const OrderOptions& options, std::string_view algorithm);

/// As Sequencer::window_chunks(), of an order that needs to know all chunks.
[[nodiscard]] std::int64_t window_chunks_of(const OrderOptions& options) noexcept;

/// The option that says what the window is, by name.
///
/// Pre: check_window() found nothing wrong.
[[nodiscard]] std::pair<std::string, std::string> window_option_text(const OrderOptions& options);

/// The options that every order uses and that change what is delivered, by name. Not among them is
/// how many epochs there are: a run may go on with more.
[[nodiscard]] std::map<std::string, std::string> order_option_texts(const OrderOptions& options);

/// The part of them that says what an epoch is.
[[nodiscard]] std::map<std::string, std::string> epoch_option_texts(const OrderOptions& options);

/// And the part that says which worker of several it is.
[[nodiscard]] std::map<std::string, std::string> worker_option_texts(const OrderOptions& options);

/// Check that the numbers of a place are some that a place can have.
///
/// Throws: ConfigError.
void check_form(const Place& place);

/// Say that a place lies behind the data, which have `sequence_count` sequences.
///
/// Throws: ConfigError.
[[noreturn]] void throw_beyond(const Place& place, std::int64_t sequence_count);

/// Check that `sample` samples lie before the sequence that a place names.
///
/// Throws: ConfigError.
void check_sample(const Place& place, std::int64_t sample);

/// The samples of each sequence of a chunk, and whether they are all the same number: finding that
/// out costs a pass, so it is done once a chunk.
struct ChunkSamples {
  explicit ChunkSamples(SampleCounts samples)
      : counts(std::move(samples)), constant(counts.constant()) {}

  SampleCounts counts;
  std::optional<std::int64_t> constant;
};

/// The samples of a chunk's sequences, of which there should be `sequence_count`.
///
/// Throws: InternalError where there are not; what Counts throws.
[[nodiscard]] ChunkSamples chunk_samples(const Counts& counts, ChunkIndex chunk,
                                         std::int64_t sequence_count);

/// The costs of a chunk's sequences, of which there should be `sequence_count`.
///
/// Pre:    check_unit() found nothing wrong.
/// Throws: InternalError where the costs are not what Counts promises; what Counts throws.
[[nodiscard]] ChunkSamples chunk_costs(const Counts& counts, ChunkIndex chunk,
                                       std::int64_t sequence_count);

/// A step of one sequence, for Sequencer::sequence_at().
///
/// Pre:    it is one of the chunk's `sequence_count`.
/// Throws: as chunk_samples().
[[nodiscard]] Step single_step(const Counts& counts, const SequenceRef& sequence,
                               std::int64_t sequence_count);

/// Returns the unit that a sequence lies in; the whole chunk, with the count kAll, where the chunk
/// is a single unit.
///
/// Pre:    the sequence exists.
/// Throws: what Counts throws.
[[nodiscard]] ChunkRange unit_of(const Counts& counts, const SequenceRef& sequence);

/// Name the sweep of the sequences of a step from number `first` on.
void name_sweep(Step& step, std::size_t first, std::int64_t sweep);

/// The cursor that a sequencer made, as what it is.
///
/// Throws: InternalError where another kind of sequencer made the cursor.
template <typename Cursor>
[[nodiscard]] Cursor& cursor_as(OrderCursor& cursor) {
  static_assert(std::is_final_v<Cursor>);  // else typeid would not be enough
  if (typeid(cursor) == typeid(Cursor)) return static_cast<Cursor&>(cursor);
  throw InternalError("sequencer: the cursor is that of another sequencer");
}

/// What a step may take at most, in what OrderOptions::unit counts: of all workers, and of this
/// one.
struct Request {
  std::int64_t all = 0;
  std::int64_t own = 0;
};

[[nodiscard]] Request request_of(const OrderOptions& options) noexcept;

/// Where epochs end.
class Epochs {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit Epochs(const OrderOptions& options) noexcept
      : sweeps_(options.sweeps.value_or(0)),
        size_(options.epoch_size.value_or(0)),
        count_(options.epochs.value_or(0)) {}

  /// Samples of a sweep before the end of an epoch; kNever where it ends in a later sweep. What
  /// starts there or behind belongs to the next epoch.
  ///
  /// Pre:    `sweep_samples` is the size of a sweep, or `sweep` is 0.
  /// Throws: ConfigError where epochs have samples, and the sweep before this one had none.
  [[nodiscard]] std::int64_t end_in_sweep(std::int64_t epoch, std::int64_t sweep,
                                          std::int64_t sweep_samples) const;

  /// Whether the run is over when this epoch is to begin.
  [[nodiscard]] bool is_over(std::int64_t epoch) const noexcept {
    return count_ > 0 && epoch >= count_;
  }

  /// The epoch that a place lies in.
  [[nodiscard]] std::int64_t epoch_of(std::int64_t sweep, std::int64_t sample,
                                      std::int64_t sweep_samples) const noexcept;

  /// Check that the run is not over at a place.
  ///
  /// Throws: ConfigError.
  void check_begins(const Place& place) const;

  /// Check that a place lies in the epoch that it names, or is where the last one ended.
  ///
  /// Throws: ConfigError.
  void check(const Place& place, std::int64_t sweep_samples) const;

 private:
  std::int64_t sweeps_;  // 0 means endless
  std::int64_t size_;    // 0 means that the sweeps count
  std::int64_t count_;   // 0 means endless
};

}  // namespace sheaf::internal
