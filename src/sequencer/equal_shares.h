/// \file
/// A step's sequences in equal numbers for all workers.

#pragma once

#include <cstdint>
#include <span>

namespace sheaf::internal {

/// Moves sequences to other workers until the counts of the workers differ by at most 1. Moves as
/// few as possible. Where several workers could get a sequence more than the others with equally
/// few moves, the first ones from worker `turn` on get the sequence.
///
/// Pre:  0 <= owners[i] < worker_count; turn >= 0.
/// Cost: the sequences and the workers.
void share_equally(std::int64_t worker_count, std::int64_t turn, std::span<std::int64_t> owners);

}  // namespace sheaf::internal
