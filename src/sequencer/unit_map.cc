#include "sequencer/unit_map.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

}  // namespace

UnitMap::UnitMap(const Counts& counts, std::int64_t units_min) {
  for (ChunkIndex chunk{0};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> found = counts.chunk_counts(chunk);
    if (!found) break;
    // A chunk without sequences has no units, even if its counts say one.
    if (found->sequence_count == 0 && found->unit_count == 1) {
      chunks_.push_back({});
      continue;
    }
    if (found->unit_count < 1 || found->unit_count > found->sequence_count) {
      throw InternalError(formatted("counts: chunk {} has {} units of {} sequences",
                                    static_cast<std::int64_t>(chunk), found->unit_count,
                                    found->sequence_count));
    }
    chunks_.push_back({0, found->unit_count, found->sequence_count});
    unit_count_ += found->unit_count;
    sequence_count_ += found->sequence_count;
    sample_count_ += found->sample_count;
  }
  if (unit_count_ == 0) return;
  const std::int64_t parts = (units_min + unit_count_ - 1) / unit_count_;
  unit_count_ = 0;
  for (ChunkUnits& chunk : chunks_) {
    chunk.first_unit = unit_count_;
    chunk.unit_count = std::min(chunk.unit_count * parts, chunk.sequence_count);
    unit_count_ += chunk.unit_count;
  }
  chunks_a_unit_ = static_cast<std::int64_t>((Wide{std::ssize(chunks_)} << 32U) / unit_count_);
}

// Finds the chunk of a unit. Chunks have about equally many units, so the search begins where the
// chunk would be if all had exactly as many.
std::size_t UnitMap::chunk_of(std::int64_t unit) const noexcept {
  constexpr int kNear = 4;
  auto chunk = static_cast<std::size_t>((Wide{unit} * chunks_a_unit_) >> 32U);
  for (int i = 0; i < kNear; ++i) {
    if (chunks_[chunk].first_unit > unit) {
      --chunk;
    } else if (unit - chunks_[chunk].first_unit >= chunks_[chunk].unit_count) {
      ++chunk;
    } else {
      return chunk;
    }
  }
  const auto after = std::ranges::upper_bound(chunks_, unit, {}, &ChunkUnits::first_unit);
  return static_cast<std::size_t>(after - chunks_.begin()) - 1;
}

ChunkRange UnitMap::unit(std::int64_t unit) const noexcept {
  const std::size_t number = chunk_of(unit);
  const ChunkUnits& chunk = chunks_[number];
  const auto begin_of = [&](std::int64_t part) {
    const Wide product = Wide{part} * chunk.sequence_count;
    const auto small = static_cast<std::int64_t>(product);
    return product == small ? small / chunk.unit_count
                            : static_cast<std::int64_t>(product / chunk.unit_count);
  };
  const std::int64_t part = unit - chunk.first_unit;
  const std::int64_t begin = begin_of(part);
  return {ChunkIndex{static_cast<std::int64_t>(number)}, begin, begin_of(part + 1) - begin};
}

}  // namespace sheaf::internal
