/// \file
/// Stores decoded sequences as the bytes of a file.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Writes and reads units in the format that Format::stores_units marks.
///
/// A unit stores the numbers of the streams in place of their names, since the format may refuse a
/// name. Errors have the names.
///
/// Threads: all calls are safe from any number of threads.
class UnitBytes {
 public:
  /// Throws:   ConfigError if the format cannot hold the streams; the text names the stream.
  /// Lifetime: `format` must outlive the object.
  UnitBytes(const Format& format, std::span<const Stream> streams);

  /// Returns the sequences [first, first + keys.size()) of a chunk as the file of a unit. The file
  /// contains the name of the unit.
  ///
  /// Pre:    the chunk has the streams; none of these sequences is a hole.
  /// Throws: DataError if the format cannot hold a sequence.
  [[nodiscard]] std::string write(const SequenceKey& unit, const Chunk& chunk, std::int64_t first,
                                  std::span<const SequenceKey> keys) const;

  /// Consecutive sequences of a unit.
  struct Wanted {
    SequenceKey name = {};            // of the unit
    std::int64_t sequence_count = 0;  // of the unit
    std::int64_t first = 0;           // number within the unit
    std::int64_t count = 0;
  };

  /// Reads sequences from the bytes that write() returned.
  ///
  /// Throws: DataError if the bytes are damaged or belong to another unit; IoError.
  [[nodiscard]] Chunk read(const Wanted& wanted,
                           const std::shared_ptr<const ByteSource>& source) const;

 private:
  [[nodiscard]] Chunk read_stored(const Wanted& wanted,
                                  const std::shared_ptr<const ByteSource>& source) const;
  [[nodiscard]] std::vector<Stream> streams_of(const SequenceKey& unit) const;
  [[nodiscard]] std::vector<Diagnostic> with_names(const SequenceKey& unit,
                                                   std::span<const Diagnostic> diagnostics) const;

  const Format& format_;
  std::vector<Stream> streams_;     // named by their numbers
  std::vector<std::string> names_;  // of the streams, in the data
};

/// Returns how much memory the columns of a chunk take, borrowed memory included.
[[nodiscard]] std::int64_t size_of_columns(const Chunk& chunk) noexcept;

}  // namespace sheaf::internal
