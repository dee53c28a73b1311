// Writes sequences as a container.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "format/sheaf/array_codec.h"
#include "format/sheaf/batch_columns.h"
#include "format/sheaf/block_maker.h"
#include "format/sheaf/container_layout.h"

namespace sheaf::container {

inline constexpr std::array<std::string_view, 3> kCompressionValues = {"fast", "small", "none"};
inline constexpr FormatOption kCompressionOption = {
    .name = "sheaf.compression",
    .values = kCompressionValues,
    .help = "fast: what decodes faster than text parses; small: zstd, too; none: raw values"};
inline constexpr std::array kWriteOptions = {kCompressionOption};

/// A chunk's blocks are known when the chunk ends, and compressing them takes most of the time. So
/// append() only cuts a chunk into blocks. Calls of encode() make the blocks on their own threads
/// before they encode their batch. append() and finish() write the finished blocks in order.
class ContainerSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that a container cannot hold; IoError.
  explicit ContainerSerializer(CreateRequest request);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;

 private:
  class Batch;

  /// A block to make.
  struct BlockTask {
    std::vector<BatchPiece> pieces = {};
    std::vector<MadeColumn> columns = {};
    std::atomic<bool> is_made = false;
  };

  /// A chunk with blocks that are not yet written.
  struct OpenChunk {
    std::vector<std::shared_ptr<BlockTask>> blocks = {};
    SequenceTable sequences = {};
    std::int64_t sample_count = 0;
    std::int64_t content = 0;
  };

  void make_blocks() const;
  void make(BlockTask& task) const;
  void end_chunk();
  void end_chunk_of_input();
  [[nodiscard]] std::string part_note() const;
  void write_made_chunks();
  void write_chunk(const OpenChunk& chunk);
  void write(std::span<const std::byte> bytes);

  const std::unique_ptr<ByteSink> sink_;
  const std::vector<Stream> streams_;
  const std::int64_t chunk_size_bytes_;
  Compression compression_ = Compression::fast;
  const bool keeps_storage_notes_;
  const std::string cost_name_;         // empty: the file keeps no costs
  const std::string part_note_;         // from the request
  const std::int64_t defining_stream_;  // -1: the longest stream

  mutable std::mutex mutex_;
  mutable std::deque<std::shared_ptr<BlockTask>> tasks_;  // not yet started; guarded by mutex_

  // Used by append() and finish() only.
  std::vector<BatchPiece> pieces_;  // of the current chunk
  std::int64_t content_ = 0;        // of the current chunk
  std::deque<OpenChunk> open_chunks_;
  std::int64_t open_content_ = 0;
  std::optional<bool> has_text_keys_;  // known after the first sequence
  std::int64_t written_ = 0;           // bytes
  std::vector<ChunkEntry> chunks_;
  std::int64_t ended_chunks_ = 0;          // written or not
  std::vector<std::int64_t> open_inputs_;  // chunks that do not end a chunk of the input
  StorageSummary storage_;
};

}  // namespace sheaf::container
