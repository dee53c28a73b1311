// Reads, decodes and converts sequences of a chunk.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"

#include "format/sheaf/chunk_assembler.h"

namespace sheaf::container {

/// Reads one range. Can be used once.
///
/// Lifetime: all arguments must outlive the decoder.
class RangeDecoder {
 public:
  RangeDecoder(const ContainerFile& file, const ContainerSchema& schema, const ChunkTable& table)
      : file_(file), schema_(schema), table_(table) {}

  /// As Deserializer::read().
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics);

 private:
  /// A value that the requested type cannot represent.
  struct LostValue {
    std::int64_t number = 0;  // of the sequence in the range
    std::size_t stream = 0;
    std::int64_t index = 0;  // number of the value in the sequence
  };

  [[nodiscard]] const Stream& in_file(std::size_t stream) const noexcept;
  [[nodiscard]] std::size_t column_of(std::size_t stream) const;
  void decode_blocks();
  [[nodiscard]] AssemblyPlan plan();
  [[nodiscard]] bool may_borrow(const AssemblyPlan& plan) const;
  [[nodiscard]] std::vector<Column> assemble_all();
  void convert_values(std::size_t stream, Column& column);
  void convert_indices(std::size_t stream, Column& column) const;
  void note_lost(std::size_t stream, const Column& column);
  [[nodiscard]] const ReadBlock& block_of(std::int64_t number) const;
  [[nodiscard]] std::vector<std::string> key_texts() const;
  void report(std::span<const std::string> texts, Diagnostics& diagnostics) const;

  const ContainerFile& file_;
  const ContainerSchema& schema_;
  const ChunkTable& table_;
  std::int64_t first_ = 0;  // first sequence in the chunk
  std::int64_t count_ = 0;
  ReadBlocks read_;
  std::vector<DecodedBlock> decoded_;  // of each block
  std::vector<bool> is_hole_;
  std::vector<LostValue> lost_;
};

}  // namespace sheaf::container
