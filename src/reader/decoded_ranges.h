// What was decoded while the index was made, until it is asked for.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/index.h"
#include "sheaf/types.h"

#include "reader/chunk_memory.h"

namespace sheaf::internal {

/// Where the units of a chunk begin, by the numbers of sequences; the first at 0.
using UnitBegins = std::shared_ptr<const std::vector<std::int64_t>>;

/// Threads: begins_of() may be called from any; take() and bytes() one call at a time.
class DecodedRanges {
 public:
  explicit DecodedRanges(std::vector<DecodedRange> ranges = {}) {
    std::unordered_map<ChunkIndex, std::vector<std::int64_t>> begins;
    for (DecodedRange& range : ranges) {
      begins[range.range.chunk].push_back(range.range.first);
      if (range.chunk != nullptr) bytes_ += held_bytes(*range.chunk, range.range.count);
      if (range.chunk != nullptr) ranges_[range.range.chunk].push_back(std::move(range));
    }
    for (auto& [chunk, list] : begins) {
      begins_.emplace(chunk, std::make_shared<const std::vector<std::int64_t>>(std::move(list)));
    }
  }

  /// Null where nothing of the chunk was decoded.
  [[nodiscard]] UnitBegins begins_of(ChunkIndex chunk) const {
    const auto found = begins_.find(chunk);
    return found == begins_.end() ? nullptr : found->second;
  }

  /// Hand over a range, if it is there. It is not kept.
  [[nodiscard]] std::optional<DecodedRange> take(const ChunkRange& range) {
    const auto chunk = ranges_.find(range.chunk);
    if (chunk == ranges_.end()) return std::nullopt;
    for (DecodedRange& each : chunk->second) {
      if (each.range != range || each.chunk == nullptr) continue;
      bytes_ -= held_bytes(*each.chunk, range.count);
      return DecodedRange{each.range, std::exchange(each.chunk, nullptr), each.first};
    }
    return std::nullopt;
  }

  /// Memory of the ranges that were not handed over yet.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::unordered_map<ChunkIndex, UnitBegins> begins_;
  std::unordered_map<ChunkIndex, std::vector<DecodedRange>> ranges_;
  std::int64_t bytes_ = 0;
};

}  // namespace sheaf::internal
