// Reads sequences of a chunk as columns that refer to the bytes of the file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/deserializer.h"

#include "format/cbf/cbf_blocks.h"
#include "format/cbf/cbf_index.h"
#include "format/cbf/cbf_read_ahead.h"
#include "format/cbf/cbf_schema.h"

namespace sheaf::cbf {

/// Reads one range. Can be used once.
///
/// Lifetime: all arguments must outlive the reader.
class RangeReader {
 public:
  RangeReader(const OpenFile& open, const Schema& schema, const CbfIndex& index,
              const ReadAhead& read_ahead);

  /// As Deserializer::read().
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics);

 private:
  /// Contiguous bytes of the file.
  struct Extent {
    std::int64_t file_offset = 0;
    std::int64_t size = 0;
    std::int64_t offset = 0;  // in the bytes that are read
  };

  /// Consecutive sequences whose blocks are either all found, or none.
  struct Part {
    ChunkTable::Chunk chunk;
    std::int64_t first = 0;  // number of the first sequence in the chunk
    std::int64_t count = 0;
    std::int64_t wanted_first = 0;  // the first wanted sequence, counted from `first`
    std::int64_t wanted_count = 0;
    std::int64_t number = 0;   // number of the first wanted sequence in the range
    bool is_whole = false;     // reads the bytes of the chunk, not of each wanted stream
    bool is_expected = false;  // the layout is only expected, so the blocks may lie elsewhere
    std::int64_t offset = 0;   // if whole, offset in the bytes that are read
    std::optional<Damage> damage = {};
  };

  /// The blocks of one part in one wanted stream.
  struct Span {
    std::int64_t offset = 0;  // in the bytes that are read
    std::int64_t size = 0;
    std::optional<std::uint64_t> hash = {};
    const std::byte* wanted = nullptr;  // the first wanted block
    std::int64_t wanted_size = 0;       // bytes of all wanted blocks
  };

  struct Wrong {
    std::int64_t number = 0;  // of the sequence in the range
    WrongNumber wrong;        // an offset in the file
    ErrorLocation location;
    std::int64_t key = 0;
  };

  void plan(const ChunkRange& range);
  void plan_whole(const Piece& piece, const ChunkTable::Chunk& chunk, std::int64_t number);
  void plan_parts(const Piece& piece, const ChunkTable::Chunk& chunk, const FoundLayout& found,
                  std::int64_t number);
  void plan_damaged(const Piece& piece, const ChunkTable::Chunk& chunk, const Damage& damage,
                    std::int64_t number);
  void look_for_missing_parts(const ChunkRange& range);
  std::int64_t add_extent(std::int64_t file_offset, std::int64_t size);
  void fetch();
  void measure(std::size_t part);
  void measure_whole(Part& part, Span* spans, std::span<ColumnBuilder::Totals> totals) const;
  void measure_spans(Part& part, Span* spans, std::span<ColumnBuilder::Totals> totals) const;
  const std::byte* walk(Part& part, std::int64_t file_stream, const std::byte* begin,
                        const std::byte* limit, Span* span, ColumnBuilder::Totals* totals) const;
  void compact();
  void collect_wrong(std::span<const ColumnBuilder> builders);
  void report(const ChunkRange& range, Diagnostics& diagnostics);
  [[nodiscard]] std::int64_t file_offset_of(std::int64_t offset) const noexcept;
  [[nodiscard]] const Part& part_of(std::int64_t number) const noexcept;

  const OpenFile& open_;
  const Schema& schema_;
  const CbfIndex& index_;
  const ReadAhead& read_ahead_;
  std::vector<std::size_t> streams_in_file_order_;   // numbers of the wanted streams
  std::vector<std::int64_t> wanted_of_file_stream_;  // -1 if not wanted

  std::vector<Part> parts_;
  std::vector<Span> spans_;  // [part][wanted stream]
  std::vector<Extent> extents_;
  std::int64_t sequence_count_ = 0;
  std::int64_t size_bytes_ = 0;
  SharedBytes bytes_;
  std::set<std::int64_t> missing_parts_;  // first sequences of parts that are not where expected
  std::vector<ColumnBuilder::Totals> totals_;            // of the measured parts without damage
  std::vector<ColumnBuilder::Totals> totals_with_part_;  // the same, with the part being measured
  std::vector<Wrong> wrong_;
};

}  // namespace sheaf::cbf
