// The header of a CBF file: its streams and where its chunks lie.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/packed_ints.h"
#include "sheaf/types.h"

namespace sheaf::cbf {

/// A stream in the header.
struct FileStream {
  std::string name;
  Storage storage = Storage::dense;
  ElementType element_type = ElementType::f32;  // or f64
  std::int64_t dim = 1;                         // values of a dense sample, or indices

  /// Returns the bytes of one value.
  [[nodiscard]] std::int64_t value_size() const noexcept {
    return element_type == ElementType::f64 ? std::int64_t{sizeof(double)}
                                            : std::int64_t{sizeof(float)};
  }

  /// Returns the bytes of a dense sample's values.
  [[nodiscard]] std::int64_t sample_size() const noexcept { return dim * value_size(); }

  friend bool operator==(const FileStream&, const FileStream&) = default;
};

/// The chunks of a file that have sequences, in file order.
class ChunkTable {
 public:
  struct Chunk {
    std::int64_t offset = 0;          // in the file
    std::int64_t size = 0;            // to the next chunk, or to the header
    std::int64_t first_sequence = 0;  // in the file
    std::int64_t sequence_count = 0;
    std::int64_t sample_count = 0;  // according to the table
    std::int64_t number = 0;        // in the table of the file, which counts empty chunks
  };

  [[nodiscard]] std::int64_t size() const noexcept { return offsets_.size(); }

  /// Pre: 0 <= i < size().
  [[nodiscard]] Chunk operator[](std::int64_t i) const noexcept;

  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }

  /// Returns the bytes of memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  class Builder;

 private:
  PackedInts offsets_;
  PackedInts ends_;
  PackedInts first_sequences_;
  PackedInts sample_counts_;
  PackedInts numbers_;
  std::int64_t sequence_count_ = 0;
};

/// The result of opening a file.
struct CbfFile {
  std::vector<FileStream> streams;
  ChunkTable chunks;
  std::int64_t header_offset = 0;
  std::int64_t stream_table_offset = 0;
  std::int64_t chunk_table_offset = 0;
  std::int64_t end_offset = 0;  // end of the chunk table; checks may follow
};

/// Reads and checks prefix, trailer, header and chunk table. Uses no number before it is checked.
/// With `trusts_lengths`, the samples in the table may be wrong, since nothing uses them.
///
/// Throws: DataError that names the offset of the error; IoError.
/// Cost:   at most 3 reads, and one for each MiB of the chunk table; about 5 bytes of memory a
///         chunk in files of many small chunks.
[[nodiscard]] CbfFile open_cbf(const ByteSource& source, bool trusts_lengths = false);

}  // namespace sheaf::cbf
