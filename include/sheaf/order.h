/// \file
/// In which order sequences come, and how many of them a minibatch has.
///
///     // Shuffled; the same global minibatches for any number of workers. This is worker 0 of 4.
///     const sheaf::OrderOptions order = {.minibatch_size = 64,
///                                        .unit = sheaf::MinibatchUnit::sequences,
///                                        .worker_index = 0,
///                                        .worker_count = 4,
///                                        .algorithm = sheaf::OrderAlgorithm::keyed,
///                                        .seed = 7};
///     std::cout << order.minibatch_size << '\n';
///
/// A *chunk* is a stretch of a file whose sequences are indexed together, 32 MiB by default. A
/// *sweep* delivers every sequence once. A *window* is the chunks among which a sequence moves.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace sheaf {

/// The number that stands for the words "all" and "any" of options: `window_chunks = kAll`.
inline constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

/// What `minibatch_size` counts.
///
/// cost: the cost that the data declare for each sequence: bytes of text, or what an own data set
///       says, such as pixels (Counts::cost_measure() in sheaf/extend/counts.h).
enum class MinibatchUnit : std::uint8_t { samples, sequences, cost };

/// How several workers share a minibatch.
///
/// local:  each worker takes its part of `minibatch_size` from its own sequences. Within an epoch
///         the workers drift apart.
/// global: each worker looks at the same stretch of `minibatch_size` samples, and keeps its own
///         sequences.
enum class Timeline : std::uint8_t { local, global };

/// What happens to a minibatch where a sweep ends.
///
/// cross: the minibatch goes on with sequences of the next sweep.
/// cut:   the minibatch ends.
enum class SweepEnds : std::uint8_t { cross, cut };

/// The algorithms that decide the order.
///
/// file:  the order of the file.
/// cntk:  exactly the block randomization of CNTK 2.x.
/// keyed: shuffled so that any number of workers delivers the same minibatches ("keyed/1").
enum class OrderAlgorithm : std::uint8_t { file, cntk, keyed };

/// What `keyed` divides evenly among the workers of a minibatch.
///
/// cost:  the cost. The shares differ by as little as the sequences allow. The cost of a sequence
/// is
///        its samples, or, with MinibatchUnit::cost, the cost that the data declare.
/// count: the sequences. With Sizes::exact, the counts of the workers differ by at most 1. With
///        Sizes::even, no worker has more than an equal part, rounded up, but some may have less.
enum class Balance : std::uint8_t { cost, count };

/// How `keyed` cuts its order into minibatches.
///
/// plain:    in the order of the sweep.
/// bucketed: sequences of similar length together. Where `minibatch_size` counts samples, it counts
///           the samples that padding adds, too: the sequences times the longest length. With
///           MinibatchUnit::cost, sequences of similar cost come together, and a minibatch counts
///           its sequences times the largest cost.
enum class Batching : std::uint8_t { plain, bucketed };

/// How many sequences `keyed` gives a minibatch.
///
/// even:  about as many as the other minibatches have. A sweep is divided evenly.
/// exact: exactly `minibatch_size`, which must count sequences. The last minibatch of a sweep, or
/// of
///        an epoch counted in samples, may have fewer, unless `drop_last` leaves such a minibatch
///        out.
enum class Sizes : std::uint8_t { even, exact };

/// What becomes of a sequence that is longer than a row.
///
/// error:    the minibatch of the sequence is an error.
/// split:    the sequence is cut into pieces. Each piece has as many samples as a row, and the last
///           piece has the rest. The order treats pieces as sequences: in file order a piece
///           follows the piece before it, and a shuffled order shuffles pieces.
/// truncate: the sequence ends after as many samples as a row has.
/// drop:     the sequence is left out.
///
/// Sequences are cut or dropped by their lengths, before the order is made. Minibatches, epochs and
/// workers count the pieces and sequences that remain. With `split` and `truncate`,
/// Minibatch::slices() says which samples of a sequence a minibatch has.
enum class LongSequences : std::uint8_t { error, split, truncate, drop };

/// Return the names that specs, the command line and positions have for a value.
[[nodiscard]] std::string_view to_string(MinibatchUnit unit) noexcept;
[[nodiscard]] std::string_view to_string(OrderAlgorithm algorithm) noexcept;
[[nodiscard]] std::string_view to_string(Batching batching) noexcept;
[[nodiscard]] std::string_view to_string(Sizes sizes) noexcept;
[[nodiscard]] std::string_view to_string(LongSequences long_sequences) noexcept;

/// In which order sequences come, and how the order is divided into minibatches, epochs and
/// workers.
///
/// A run is a number of epochs, one after the other. An epoch is a number of sweeps, or a number of
/// samples, which need not be a whole sweep. A sequence belongs to the epoch in which the sequence
/// starts. No minibatch has sequences of two epochs.
///
/// With `file` and `cntk`, a minibatch has at most `minibatch_size` samples, but at least one whole
/// sequence. With `keyed`, a minibatch has the sequences that start in a stretch of about
/// `minibatch_size`: up to `minibatch_size` plus the longest sequence, minus 1. Where `unit` is
/// `sequences`, no minibatch has more than `minibatch_size` sequences, and with Sizes::exact each
/// has exactly as many.
///
/// A sequence counts as many samples as its longest stream has, or the stream with
/// Stream::defines_minibatch_size. Minibatch::sample_count() is another number: the sum over one
/// stream.
struct OrderOptions {
  std::int64_t minibatch_size = 256;  // of all workers together; counts what `unit` says
  MinibatchUnit unit = MinibatchUnit::samples;
  std::optional<std::int64_t> sweeps = 1;    // of an epoch; empty means endless
  std::optional<std::int64_t> epoch_size{};  // samples of an epoch; empty: `sweeps` counts
  std::optional<std::int64_t> epochs = 1;    // of the run; empty means endless
  SweepEnds sweep_ends = SweepEnds::cross;
  bool split_frames = false;  // whether each sample becomes a sequence, before ordering

  /// What becomes of sequences with more samples than `row_samples`, before ordering. With
  /// LongSequences::error, the order does not look at `row_samples`. A cut sequence must have
  /// equally many samples in every stream: else its minibatch is an error.
  LongSequences long_sequences = LongSequences::error;
  std::optional<std::int64_t> row_samples{};  // Reader sets it to its row_samples or pad_length

  std::int64_t worker_index = 0;  // 0 .. worker_count-1
  std::int64_t worker_count = 1;
  Timeline timeline = Timeline::local;

  OrderAlgorithm algorithm = OrderAlgorithm::file;
  std::uint64_t seed = 0;                        // each seed gives another order; not for `file`
  std::optional<std::int64_t> window_chunks{};   // among how many chunks a sequence moves; or kAll
  std::optional<std::int64_t> window_samples{};  // the same in samples; neither for `file`

  /// How many samples of a sequence a minibatch has: truncated backpropagation through time. Empty
  /// means whole sequences.
  std::optional<std::int64_t> truncation_length{};

  Balance balance = Balance::cost;      // for `keyed` alone
  Batching batching = Batching::plain;  // for `keyed` alone
  Sizes sizes = Sizes::even;            // for `keyed` alone

  /// Whether sequences that fill no minibatch are left out, at the end of each sweep and of each
  /// epoch counted in samples. For Sizes::exact alone.
  bool drop_last = false;
};

/// Returns the window of an order whose options name none: as many chunks as make 4 GiB, as in
/// CNTK.
///
/// Pre: chunk_size_bytes > 0.
[[nodiscard]] std::int64_t default_window_chunks(std::int64_t chunk_size_bytes) noexcept;

}  // namespace sheaf
