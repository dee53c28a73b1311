// Reads a range of the sequences of a chunk.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "core/error_kind.h"
#include "format/webdataset/webdataset_index.h"
#include "format/webdataset/webdataset_options.h"
#include "format/webdataset/webdataset_scan.h"

namespace sheaf::webdataset {

/// The context of a range.
struct RangeSource {
  const ShardIndex& index;
  const ReadOptions& options;
  std::span<const EntryStream> entries;
  std::span<const Stream> streams;
};

/// Reads one range of a chunk. Can be used once. Delivered bytes stay where they were read, except
/// for the frames of a sequence, which are copied side by side.
class RangeReader {
 public:
  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if the shard has changed since it was indexed.
  [[nodiscard]] Chunk read();

 private:
  /// The bytes of one entry.
  struct Piece {
    std::int64_t offset_bytes = 0;  // in the shard
    std::int64_t size_bytes = 0;
  };

  /// The data of one stream in the sequences.
  struct StreamPart {
    std::vector<Piece> pieces;               // of all sequences
    std::vector<std::int64_t> piece_counts;  // of each sequence
    std::vector<std::int32_t> numbers;       // for labels, instead of pieces
    std::vector<std::uint8_t> presence;      // of each sequence
    std::int64_t last_frame = 0;             // of the current sequence
  };

  void read_bytes();
  void take_sequence(std::int64_t number);
  [[nodiscard]] std::vector<DataEntry> entries_of(std::int64_t number) const;
  void take_entry(const DataEntry& entry, const std::vector<DataEntry>& entries);
  void take_label(std::size_t stream, const DataEntry& entry);
  void end_sequence(std::int64_t number, const DataEntry& first);
  void fail(const internal::ErrorKind& kind, std::int64_t byte_offset, std::string_view stream,
            std::string found, std::string hint = {});
  [[noreturn]] void throw_changed() const;
  [[nodiscard]] std::string_view bytes_of(const Piece& piece) const;

  [[nodiscard]] Column byte_column(std::size_t stream) const;
  [[nodiscard]] Column label_column(std::size_t stream) const;
  void set_counts(const StreamPart& part, Column& column) const;

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  const std::shared_ptr<const SequenceTable> table_;
  std::int64_t last_ = 0;  // end of the range in the chunk
  ShardIndex::Part part_;
  std::shared_ptr<Buffer> bytes_;
  std::vector<StreamPart> parts_;
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;

  // Members about the current sequence.
  std::int64_t number_ = 0;
  bool is_hole_ = false;
};

/// Parses the number of a label. Blanks and line ends may surround it. Returns false for any other
/// text, and for numbers that do not fit.
[[nodiscard]] bool parse_label(std::string_view text, std::int32_t& number) noexcept;

}  // namespace sheaf::webdataset
