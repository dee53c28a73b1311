// Where the sequences do not divide evenly, a worker that already has more than an equal part keeps
// one sequence more, as long as there are some to give. Each sequence that stays saves a move.

#include "sequencer/equal_shares.h"

#include <cassert>
#include <cstddef>
#include <vector>

namespace sheaf::internal {
namespace {

/// Returns how many sequences each worker has too many. Below 0: how many it lacks.
std::vector<std::int64_t> surplus_of(std::int64_t worker_count, std::int64_t turn,
                                     std::span<const std::int64_t> owners) {
  const std::int64_t part = std::ssize(owners) / worker_count;
  std::vector<std::int64_t> surplus(static_cast<std::size_t>(worker_count), -part);
  for (const std::int64_t owner : owners) ++surplus[static_cast<std::size_t>(owner)];
  std::vector<bool> has_one_more(surplus.size());
  std::int64_t left = std::ssize(owners) % worker_count;
  for (const bool keeps : {true, false}) {  // first the workers that already have the sequence
    for (std::int64_t i = 0; i < worker_count && left > 0; ++i) {
      const auto worker = static_cast<std::size_t>((turn + i) % worker_count);
      if (has_one_more[worker] || (keeps && surplus[worker] <= 0)) continue;
      has_one_more[worker] = true;
      --surplus[worker];
      --left;
    }
  }
  return surplus;
}

}  // namespace

void share_equally(std::int64_t worker_count, std::int64_t turn, std::span<std::int64_t> owners) {
  assert(worker_count >= 1 && turn >= 0);
  turn %= worker_count;
  std::vector<std::int64_t> surplus = surplus_of(worker_count, turn, owners);
  std::size_t taker = 0;
  for (std::int64_t& owner : owners) {
    std::int64_t& too_many = surplus[static_cast<std::size_t>(owner)];
    if (too_many <= 0) continue;
    while (surplus[taker] >= 0) ++taker;
    --too_many;
    ++surplus[taker];
    owner = static_cast<std::int64_t>(taker);
  }
}

}  // namespace sheaf::internal
