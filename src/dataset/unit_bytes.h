/// \file
/// Decoded sequences as the bytes of one file.

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
  /// Throws:   ConfigError where the format cannot hold the streams.
  /// Lifetime: `format` must outlive it.
  UnitBytes(const Format& format, std::span<const Stream> streams);

  /// Returns the sequences [first, first + keys.size()) of a chunk as the file of a unit, which
  /// says of which one.
  ///
  /// Pre:    the chunk has the streams, and none of these sequences is a hole.
  /// Throws: DataError where the format cannot hold a sequence.
  [[nodiscard]] std::string write(const SequenceKey& unit, const Chunk& chunk, std::int64_t first,
                                  std::span<const SequenceKey> keys) const;

  /// Reads what write() made.
  ///
  /// Throws: DataError where the bytes are damaged, or are those of another unit; IoError.
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
