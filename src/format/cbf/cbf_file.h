// What a CBF file says of itself: its streams and where its chunks lie.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/packed_ints.h"
#include "sheaf/types.h"

namespace sheaf::cbf {

/// A stream as the header has it.
struct FileStream {
  std::string name;
  Storage storage = Storage::dense;
  ElementType element_type = ElementType::f32;  // or f64
  std::int64_t dim = 1;                         // values of a dense sample, or indices

  /// Bytes of one value.
  [[nodiscard]] std::int64_t value_size() const noexcept {
    return element_type == ElementType::f64 ? std::int64_t{sizeof(double)}
                                            : std::int64_t{sizeof(float)};
  }

  /// Bytes of the values of a sample, where dense.
  [[nodiscard]] std::int64_t sample_size() const noexcept { return dim * value_size(); }

  friend bool operator==(const FileStream&, const FileStream&) = default;
};

/// The chunks of a file that have sequences, in its order.
class ChunkTable {
 public:
  struct Chunk {
    std::int64_t offset = 0;          // in the file
    std::int64_t size = 0;            // to the next chunk, or to the header
    std::int64_t first_sequence = 0;  // in the file
    std::int64_t sequence_count = 0;
    std::int64_t sample_count = 0;  // as the table says
    std::int64_t number = 0;        // in the table of the file, with the empty ones
  };

  [[nodiscard]] std::int64_t size() const noexcept { return offsets_.size(); }

  /// Pre: 0 <= i < size().
  [[nodiscard]] Chunk operator[](std::int64_t i) const noexcept;

  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }

  /// Memory held.
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

/// What opening a file gives.
struct CbfFile {
  std::vector<FileStream> streams;
  ChunkTable chunks;
  std::int64_t header_offset = 0;
  std::int64_t stream_table_offset = 0;
  std::int64_t chunk_table_offset = 0;
  std::int64_t end_offset = 0;  // of the chunk table: checks may follow
};

/// Read and check prefix, trailer, header and chunk table; nothing is trusted before it is checked.
/// With `trusts_lengths` nobody goes by the table's samples, and they may be wrong.
///
/// Throws: DataError that names the offset of what is wrong; IoError.
/// Cost:   no more than 3 reads, and one for each MiB of the chunk table; memory of about 5 bytes a
///         chunk for files of many small ones.
[[nodiscard]] CbfFile open_cbf(const ByteSource& source, bool trusts_lengths = false);

}  // namespace sheaf::cbf
