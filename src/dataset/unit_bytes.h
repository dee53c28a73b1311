/// \file
/// Stores decoded sequences as the bytes of a file.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Writes and reads units in the format that Format::stores_units marks.
///
/// Threads: all calls are safe from any number of threads.
class UnitBytes {
 public:
  /// Throws:   ConfigError if the format cannot hold the streams.
  /// Lifetime: `format` must outlive the object.
  UnitBytes(const Format& format, std::span<const Stream> streams);

  /// Returns the sequences [first, first + keys.size()) of a chunk as the file of a unit. The file
  /// contains the name of the unit.
  ///
  /// Pre:    the chunk has the streams; none of these sequences is a hole.
  /// Throws: DataError if the format cannot hold a sequence.
  [[nodiscard]] std::string write(const SequenceKey& unit, const Chunk& chunk, std::int64_t first,
                                  std::span<const SequenceKey> keys) const;

  /// Reads the bytes that write() returned.
  ///
  /// Throws: DataError if the bytes are damaged or belong to another unit; IoError.
  [[nodiscard]] Chunk read(const SequenceKey& unit, const std::shared_ptr<const ByteSource>& source,
                           std::int64_t sequence_count) const;

 private:
  [[nodiscard]] std::vector<Stream> streams_of(const SequenceKey& unit) const;

  const Format& format_;
  std::vector<Stream> streams_;
};

/// Returns how much memory the columns of a chunk take, borrowed memory included.
[[nodiscard]] std::int64_t size_of_columns(const Chunk& chunk) noexcept;

}  // namespace sheaf::internal
