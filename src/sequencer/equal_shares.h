/// \file
/// Gives all workers equally many sequences of a step.

#pragma once

#include <cstdint>
#include <span>

namespace sheaf::internal {

/// Moves as few sequences as possible to other workers, until the counts of the workers differ by
/// at most 1. Where several workers could get one sequence more with equally few moves, the first
/// of these workers gets it, counting from worker `turn` on.
///
/// Pre:  0 <= owners[i] < worker_count; turn >= 0.
/// Cost: linear in the numbers of sequences and workers.
void share_equally(std::int64_t worker_count, std::int64_t turn, std::span<std::int64_t> owners);

}  // namespace sheaf::internal
