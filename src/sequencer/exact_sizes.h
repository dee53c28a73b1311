/// \file
/// Minibatches of exactly as many sequences as the options ask for.

#pragma once

#include <cstdint>
#include <span>

#include "sheaf/order.h"

#include "sequencer/length_batches.h"

namespace sheaf::internal {

/// Checks the options `sizes` and `drop_last`.
///
/// Throws: ConfigError that names the option and its value, and says what to do.
void check_exact_sizes(const OrderOptions& options);

/// Checks that drop_last leaves something to deliver.
///
/// Throws: ConfigError if a sweep has some sequences, but fewer than one minibatch.
void check_has_minibatch(const OrderOptions& options, std::int64_t sequence_count);

/// Returns the end of a stretch of `size` sequences that begins at `begin`, in a sweep of `count`
/// sequences. The stretch ends with the sweep at the latest. With drop_last, it has whole
/// minibatches only.
///
/// Pre: 0 <= begin <= count.
[[nodiscard]] std::int64_t exact_end(const OrderOptions& options, std::int64_t begin,
                                     std::int64_t count, std::int64_t size);

/// Cuts a run of the order into batches of like length, of exactly `size` sequences each. The
/// sequences that fill no batch are always the last ones of the run, whatever their lengths. They
/// form the last batch.
///
/// Pre:  lengths are not negative; size > 0.
/// Cost: as batches_by_length().
[[nodiscard]] LengthBatches exact_batches_by_length(std::span<const std::int64_t> lengths,
                                                    std::int64_t size, std::uint64_t key);

}  // namespace sheaf::internal
