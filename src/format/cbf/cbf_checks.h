// Checks: what our writer says of a file besides, in the room between chunk table and trailer that
// other readers pass over. Where parts of chunks begin, and hashes of all bytes.

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

/// What a chunk holds of one stream.
struct StreamTotals {
  std::int64_t sample_count = 0;
  std::int64_t value_count = 0;  // stored

  friend bool operator==(const StreamTotals&, const StreamTotals&) = default;
};

/// Where the blocks of a chunk begin. A chunk of S sequences and P parts is cut before sequence
/// p * S / P, rounded down, for each p.
struct ChunkLayout {
  std::int64_t part_count = 1;
  std::vector<std::int64_t> starts;   // [stream][part], from the start of the chunk; then its size
  std::vector<std::uint64_t> hashes;  // XXH3 of the blocks, [stream][part]; empty: not known

  /// Where the blocks of a part begin, and where those of its last part end.
  ///
  /// Pre: 0 <= part <= part_count.
  [[nodiscard]] std::int64_t start(std::int64_t stream, std::int64_t part) const noexcept {
    return starts[static_cast<std::size_t>(stream * part_count + part)];
  }

  [[nodiscard]] std::uint64_t hash(std::int64_t stream, std::int64_t part) const noexcept {
    return hashes[static_cast<std::size_t>(stream * part_count + part)];
  }

  /// Memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  friend bool operator==(const ChunkLayout&, const ChunkLayout&) = default;
};

/// How many parts a chunk is cut into, where we do it: about 32 KiB each, so that a sequence alone
/// is cheap to read, and as many in each unit.
///
/// Pre: chunk_size_bytes >= 1, sequence_count >= 1.
[[nodiscard]] std::int64_t part_count(std::int64_t chunk_size_bytes,
                                      std::int64_t sequence_count) noexcept;

/// What the checks say of a chunk.
struct ChunkChecks {
  std::uint64_t lengths_hash = 0;
  std::vector<StreamTotals> totals;  // of each stream
  ChunkLayout layout;

  friend bool operator==(const ChunkChecks&, const ChunkChecks&) = default;
};

/// Append the section's parts: its head, a record for each chunk with sequences, its end. `header`
/// is what lies between the header's beginning and the section, `section` the section so far.
void append_checks_head(std::string& section);
void append_chunk_checks(std::string& section, const ChunkChecks& checks);
void append_checks_end(std::string& section, std::string_view header);

/// The section of a file. Records are read when they are asked for.
///
/// Threads: all calls are safe from any number of threads.
class Checks {
 public:
  /// Find the section and hold it against its hash. Null where the file has none, or one of a
  /// version that is not known.
  ///
  /// Throws: DataError where it is damaged; IoError.
  [[nodiscard]] static std::unique_ptr<Checks> open(const ByteSource& source, const CbfFile& file);

  /// What it says of chunk `i` of the table.
  ///
  /// Throws: DataError where that makes no sense; IoError.
  [[nodiscard]] ChunkChecks chunk(std::int64_t i) const;

  /// The totals of each stream, without reading anything.
  [[nodiscard]] StreamTotals totals(std::int64_t chunk, std::int64_t stream) const noexcept;

  /// Memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  Checks(const ByteSource& source, const CbfFile& file) : source_(source), file_(file) {}

  const ByteSource& source_;
  const CbfFile& file_;
  PackedInts offsets_;                     // of the records, in the file; then where they end
  std::vector<PackedInts> sample_counts_;  // [stream], of each chunk
  std::vector<PackedInts> value_counts_;
};

}  // namespace sheaf::cbf
