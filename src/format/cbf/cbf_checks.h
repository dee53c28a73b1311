// The checks that our writer adds between chunk table and trailer, where other readers skip bytes.
// The checks say where the parts of chunks begin, and hold hashes of all bytes.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/packed_ints.h"

#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// The totals of one stream in a chunk.
struct StreamTotals {
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;  // as stored

  friend bool operator==(const StreamTotals&, const StreamTotals&) = default;
};

/// The layout of a chunk's blocks. A chunk of S sequences and P parts is cut before sequence p * S
/// / P, rounded down, for each p.
struct ChunkLayout {
  std::int64_t part_count = 1;
  std::vector<std::int64_t> starts;   // [stream][part], from the chunk's start; then its size
  std::vector<std::uint64_t> hashes;  // XXH3 of the blocks, [stream][part]; empty if not known

  /// Returns where the blocks of a part begin. For `part_count`, returns where the blocks of the
  /// last part end.
  ///
  /// Pre: 0 <= part <= part_count.
  [[nodiscard]] std::int64_t start(std::int64_t stream, std::int64_t part) const noexcept {
    return starts[static_cast<std::size_t>(stream * part_count + part)];
  }

  [[nodiscard]] std::uint64_t hash(std::int64_t stream, std::int64_t part) const noexcept {
    return hashes[static_cast<std::size_t>(stream * part_count + part)];
  }

  /// Returns the bytes of memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  friend bool operator==(const ChunkLayout&, const ChunkLayout&) = default;
};

/// Returns the number of parts into which we cut a chunk. Parts have about 32 KiB, so that reading
/// a single sequence is cheap. Each unit has the same number of parts.
///
/// Pre: chunk_size_bytes >= 1, sequence_count >= 1.
[[nodiscard]] std::int64_t part_count(std::int64_t chunk_size_bytes,
                                      std::int64_t sequence_count) noexcept;

/// The checks of a chunk.
struct ChunkChecks {
  std::uint64_t lengths_hash = 0;
  std::vector<StreamTotals> totals;  // of each stream
  ChunkLayout layout;

  friend bool operator==(const ChunkChecks&, const ChunkChecks&) = default;
};

/// Append the head of the checks, a record for each chunk with sequences, and the end. `header` is
/// the bytes from the start of the header to the checks, and `section` is the checks so far.
void append_checks_head(std::string& section);
void append_chunk_checks(std::string& section, const ChunkChecks& checks);
void append_checks_end(std::string& section, std::string_view header);

/// The checks of a file. Records are read on demand.
///
/// Threads: all calls are safe from any number of threads.
class Checks {
 public:
  /// Finds the checks and compares them with their hash. Returns null if the file has none, or has
  /// checks of an unknown version.
  ///
  /// Throws: DataError if the checks are damaged; IoError.
  [[nodiscard]] static std::unique_ptr<Checks> open(const ByteSource& source, const CbfFile& file);

  /// Returns the checks of chunk `i` of the table.
  ///
  /// Throws: DataError if they make no sense; IoError.
  [[nodiscard]] ChunkChecks chunk(std::int64_t i) const;

  /// Returns the totals of a stream without reading anything.
  [[nodiscard]] StreamTotals totals(std::int64_t chunk, std::int64_t stream) const noexcept;

  /// Returns the bytes of memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  Checks(const ByteSource& source, const CbfFile& file) : source_(source), file_(file) {}

  const ByteSource& source_;
  const CbfFile& file_;
  PackedInts offsets_;  // of the records, in the file; the last is the end of the records
  std::vector<PackedInts> sample_counts_;  // [stream], for each chunk
  std::vector<PackedInts> value_counts_;
};

}  // namespace sheaf::cbf
