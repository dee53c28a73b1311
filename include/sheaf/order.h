/// \file
/// The options for the order of sequences and for the size of minibatches.
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
/// *sweep* delivers every sequence once. A *window* is the set of chunks within which a sequence
/// moves.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace sheaf {

/// The number for the words "all" and "any" of options: `window_chunks = kAll`.
inline constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

/// What `minibatch_size` counts.
///
/// cost: the cost that the data declare for each sequence, such as bytes of text. A data set of
///       your own chooses the unit of measure, such as pixels (Counts::cost_measure() in
///       sheaf/extend/counts.h).
enum class MinibatchUnit : std::uint8_t { samples, sequences, cost };

/// How several workers share a minibatch.
///
/// local:  each worker takes its share of `minibatch_size` from its own sequences. Within an epoch,
///         the positions of the workers drift apart.
/// global: all workers plan the same stretch of `minibatch_size` samples, and each keeps its own
///         sequences.
enum class Timeline : std::uint8_t { local, global };

/// What happens to a minibatch when a sweep ends.
///
/// cross: the minibatch continues with sequences of the next sweep.
/// cut:   the minibatch ends.
enum class SweepEnds : std::uint8_t { cross, cut };

/// The algorithms that decide the order.
///
/// file:  the order of the file.
/// cntk:  exactly the block randomization of CNTK 2.x.
/// keyed: a shuffled order in which any number of workers delivers the same minibatches
///        ("keyed/1").
enum class OrderAlgorithm : std::uint8_t { file, cntk, keyed };

/// What `keyed` divides evenly among the workers of a minibatch.
///
/// cost:  the cost. The shares differ by as little as the sequences allow. The cost of a sequence
///        is its number of samples or, with MinibatchUnit::cost, the cost that the data declare.
/// count: the sequences. With Sizes::exact, the counts of the workers differ by at most 1. With
///        Sizes::even, no worker has more than an equal part, rounded up, but some may have less.
enum class Balance : std::uint8_t { cost, count };

/// How `keyed` cuts its order into minibatches.
///
/// plain:    in the order of the sweep.
/// bucketed: sequences of similar length together. If `minibatch_size` counts samples, a minibatch
///           counts its number of sequences times the longest length, so that padding counts, too.
///           With MinibatchUnit::cost, sequences of similar cost come together, and a minibatch
///           counts its number of sequences times the largest cost.
enum class Batching : std::uint8_t { plain, bucketed };

/// How many sequences `keyed` puts into a minibatch.
///
/// even:  about the same number in all minibatches. A sweep is divided evenly.
/// exact: exactly `minibatch_size`, which must count sequences. The last minibatch of a sweep, or
///        of an epoch counted in samples, may have fewer; `drop_last` leaves such a minibatch out.
enum class Sizes : std::uint8_t { even, exact };

/// What happens to a sequence that has more than `row_samples` samples.
///
/// error:    the minibatch with the sequence is an error.
/// split:    the sequence is cut into pieces of `row_samples` samples. The last piece may be
///           shorter. The order treats pieces as sequences: file order keeps the pieces of a
///           sequence together, and a shuffled order shuffles pieces.
/// truncate: the sequence ends after `row_samples` samples.
/// drop:     the sequence is left out.
///
/// Sequences are cut or dropped before the order is made, so minibatches, epochs and workers count
/// the pieces and sequences that remain. With `split` and `truncate`, Minibatch::slices() says
/// which samples of a sequence a minibatch has.
enum class LongSequences : std::uint8_t { error, split, truncate, drop };

/// Returns the name of a value in specs, on the command line and in positions.
[[nodiscard]] std::string_view to_string(MinibatchUnit unit) noexcept;
[[nodiscard]] std::string_view to_string(OrderAlgorithm algorithm) noexcept;
[[nodiscard]] std::string_view to_string(Batching batching) noexcept;
[[nodiscard]] std::string_view to_string(Sizes sizes) noexcept;
[[nodiscard]] std::string_view to_string(LongSequences long_sequences) noexcept;

/// The order of sequences, and the division of the order into minibatches, epochs and workers.
///
/// A run is a number of epochs, one after the other. An epoch is a number of sweeps or a number of
/// samples, which need not be a whole sweep. A sequence belongs to the epoch in which the sequence
/// starts. No minibatch has sequences of two epochs.
///
/// With `file` and `cntk`, a minibatch has at most `minibatch_size` samples, but at least one whole
/// sequence. With `keyed`, a minibatch has the sequences that start in a stretch of about
/// `minibatch_size`. Its size is at most `minibatch_size` plus the longest sequence, minus 1. If
/// `unit` is `sequences`, no minibatch has more than `minibatch_size` sequences, and with
/// Sizes::exact each has exactly that many.
///
/// The number of samples of a sequence is the number of its longest stream, or of the stream with
/// Stream::defines_minibatch_size. Minibatch::sample_count() is a different number: the sum over
/// one stream.
struct OrderOptions {
  std::int64_t minibatch_size = 256;  // of all workers together, in `unit`
  MinibatchUnit unit = MinibatchUnit::samples;
  std::optional<std::int64_t> sweeps = 1;    // of an epoch; empty means endless
  std::optional<std::int64_t> epoch_size{};  // samples of an epoch; empty: `sweeps` applies
  std::optional<std::int64_t> epochs = 1;    // of the run; empty means endless
  SweepEnds sweep_ends = SweepEnds::cross;
  bool split_frames = false;  // whether each sample becomes a sequence, before ordering

  /// What happens, before ordering, to sequences with more samples than `row_samples`.
  /// LongSequences::error makes the order ignore `row_samples`. A cut sequence must have equally
  /// many samples in every stream, or else its minibatch is an error.
  LongSequences long_sequences = LongSequences::error;
  std::optional<std::int64_t> row_samples{};  // set by Reader to its row_samples or pad_length

  std::int64_t worker_index = 0;  // 0 .. worker_count-1
  std::int64_t worker_count = 1;
  Timeline timeline = Timeline::local;

  OrderAlgorithm algorithm = OrderAlgorithm::file;
  std::uint64_t seed = 0;                        // a seed for each order; not for `file`
  std::optional<std::int64_t> window_chunks{};   // how many chunks a sequence moves within; or kAll
  std::optional<std::int64_t> window_samples{};  // the same in samples; both not for `file`

  /// How many samples of a sequence a minibatch has, for truncated backpropagation through time.
  /// Empty means whole sequences.
  std::optional<std::int64_t> truncation_length{};

  Balance balance = Balance::cost;      // only for `keyed`
  Batching batching = Batching::plain;  // only for `keyed`
  Sizes sizes = Sizes::even;            // only for `keyed`

  /// Whether the last sequences of a sweep, or of an epoch counted in samples, are left out if they
  /// do not fill a minibatch. Only for Sizes::exact.
  bool drop_last = false;
};

/// Returns the default window of an order: as many chunks as make up 4 GiB, as in CNTK. A size
/// below 1 counts as 1.
[[nodiscard]] std::int64_t default_window_chunks(std::int64_t chunk_size_bytes) noexcept;

}  // namespace sheaf
