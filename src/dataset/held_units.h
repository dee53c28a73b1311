// A data set that stays in memory once it is read.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A unit of a data set, and what is wrong with it.
struct HeldUnit {
  std::int64_t first = 0;  // number of its first sequence within the chunk
  Chunk chunk;
  Diagnostics diagnostics;
};

/// Reads each unit when it is first asked for.
///
/// Memory:  in the end, all of the data set, decoded.
/// Threads: all calls are safe from any number of threads; two that want the same unit at first may
///          both read it.
class HeldUnits {
 public:
  /// Lifetime: `data` must outlive it.
  explicit HeldUnits(const Deserializer& data) : data_(data) {}

  /// The unit that a sequence is in.
  ///
  /// Pre:    there is such a sequence.
  /// Throws: IoError; the next call reads again.
  [[nodiscard]] std::shared_ptr<const HeldUnit> unit_of(ChunkIndex chunk, std::int64_t sequence);

 private:
  const Deserializer& data_;
  std::mutex mutex_;
  std::map<std::pair<ChunkIndex, std::int64_t>, std::shared_ptr<const HeldUnit>> units_;
};

}  // namespace sheaf::internal
