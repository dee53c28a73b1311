/// \file
/// In which order sequences come, and how many a minibatch has.

#pragma once

#include <cstdint>
#include <optional>

namespace sheaf {

/// What minibatch_size counts.
enum class MinibatchUnit : std::uint8_t { samples, sequences };

/// How several workers share a minibatch.
///
/// local:  each takes its own part of minibatch_size from its own sequences, and their places drift
///         apart within an epoch.
/// global: each looks at the same stretch of minibatch_size samples, and keeps what is its own.
enum class Timeline : std::uint8_t { local, global };

/// The algorithms that decide the order.
///
/// file:  that of the file.
/// cntk:  exactly the block randomization of CNTK 2.x.
/// keyed: shuffled so that any number of workers delivers the same minibatches ("keyed/1").
enum class OrderAlgorithm : std::uint8_t { file, cntk, keyed };

/// What the workers of `keyed` have the same of in each minibatch.
enum class Balance : std::uint8_t { cost, count };

/// How `keyed` cuts its order into minibatches.
///
/// plain:    as it comes.
/// bucketed: sequences of like length together. Where minibatch_size counts samples, it then counts
///           those that padding adds, too: sequences times the longest.
enum class Batching : std::uint8_t { plain, bucketed };

/// Everything about order.
///
/// The run is a number of epochs, one after the other. An epoch is a number of sweeps, or a number
/// of samples that need not be a sweep; a sequence belongs to the epoch that it starts in. No
/// minibatch has sequences of two epochs.
struct OrderOptions {
  std::int64_t minibatch_size = 256;  // at most so many, but at least one whole sequence
  MinibatchUnit unit = MinibatchUnit::samples;
  std::int64_t sweeps = 1;        // of an epoch; 0: without end
  std::int64_t epoch_size = 0;    // samples of an epoch; 0: `sweeps` says it
  std::int64_t epochs = 1;        // 0: without end
  bool cut_at_sweep_end = false;  // true: no minibatch has sequences of two sweeps
  bool split_frames = false;  // true: each sample becomes a sequence of its own, before ordering

  std::int64_t worker_index = 0;  // 0 .. worker_count-1
  std::int64_t worker_count = 1;
  Timeline timeline = Timeline::local;

  OrderAlgorithm algorithm = OrderAlgorithm::file;
  std::uint64_t seed = 0;                        // each gives another order; `file` has none
  std::optional<std::int64_t> window_chunks{};   // among how many chunks' data a sequence moves
  std::optional<std::int64_t> window_samples{};  // the same in samples; `file` has neither
  std::int64_t truncation_length = 0;  // truncated BPTT: samples of a slot in a minibatch; 0: none

  Balance balance = Balance::cost;  // `keyed` alone, here and below
  Batching batching = Batching::plain;
};

/// The window where options name none, as CNTK has it: as many chunks as make 4 GiB.
///
/// Pre: chunk_size_bytes > 0.
[[nodiscard]] std::int64_t default_window_chunks(std::int64_t chunk_size_bytes) noexcept;

}  // namespace sheaf
