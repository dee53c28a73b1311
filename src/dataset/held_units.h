// Keeps a data set in memory once it was read.

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

/// A unit of a data set, with its diagnostics.
struct HeldUnit {
  std::int64_t first = 0;  // number of its first sequence within the chunk
  Chunk chunk;
  Diagnostics diagnostics;
};

/// Reads each unit when it is first needed, and keeps it.
///
/// Memory:  in the end, the whole data set, decoded.
/// Threads: all calls are safe from any number of threads. Two threads that first need the same
///          unit may both read it.
class HeldUnits {
 public:
  /// Lifetime: `data` must outlive the object.
  explicit HeldUnits(const Deserializer& data) : data_(data) {}

  /// Returns the unit that a sequence is in.
  ///
  /// Pre:    the sequence exists.
  /// Throws: IoError; the next call reads again.
  [[nodiscard]] std::shared_ptr<const HeldUnit> unit_of(ChunkIndex chunk, std::int64_t sequence);

 private:
  const Deserializer& data_;
  std::mutex mutex_;
  std::map<std::pair<ChunkIndex, std::int64_t>, std::shared_ptr<const HeldUnit>> units_;
};

}  // namespace sheaf::internal
