// Writes sequences to a CBF file.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/serializer.h"
#include "sheaf/types.h"

#include "format/cbf/cbf_checks.h"
#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// The options of CBF among SerializerOptions.
struct WriteOptions {
  std::int64_t chunk_size_bytes = 0;
  bool has_checks = false;           // cbf.checks
  bool estimates_like_cntk = false;  // cbf.chunks: counts sizes like the original converter
  bool has_utf8_names = false;       // cbf.names
  bool refuses_missing = false;      // cbf.missing
};

/// Throws: ConfigError.
[[nodiscard]] WriteOptions write_options(const SerializerOptions& options);

/// Collects encoded sequences until they make a chunk, and then writes the chunk.
class CbfSerializer final : public Serializer {
 public:
  /// Throws: ConfigError for streams that CBF cannot hold; IoError.
  CbfSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                const SerializerOptions& options);

  [[nodiscard]] std::unique_ptr<Block> encode(const SequenceBatch& batch) const override;
  void append(std::unique_ptr<Block> block) override;
  void finish() override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  class EncodedBatch;

  /// Sequences of a batch that are not yet written.
  struct Pending {
    std::shared_ptr<const EncodedBatch> batch;
    std::int64_t first = 0;
    std::int64_t end = 0;
  };

  struct WrittenChunk {
    std::int64_t offset = 0;
    std::uint32_t sequence_count = 0;
    std::uint32_t sample_count = 0;
  };

  void check(const SequenceBatch& batch, std::size_t sequence, std::size_t stream_number) const;
  void put(std::span<const std::byte> bytes);
  void flush();
  void write_chunk();
  void write_stream(std::size_t stream, ChunkChecks& checks);
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string_view sink_name() const noexcept { return sink_->name(); }

  const WriteOptions options_;
  const std::vector<FileStream> streams_;
  std::vector<ElementType> index_types_;
  const std::int64_t defining_stream_;  // its samples are stored as lengths; -1: the longest stream
  std::unique_ptr<ByteSink> sink_;
  std::string buffer_;           // bytes that are not yet in the sink
  std::int64_t written_ = 0;     // bytes, including the buffer
  std::deque<Pending> pending_;  // the chunk being filled
  std::int64_t sequence_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t chunk_size_ = 0;
  std::int64_t estimate_ = 0;  // see estimates_like_cntk
  std::vector<WrittenChunk> chunks_;
  std::string checks_;  // empty if no checks are written
  mutable std::atomic<std::int64_t> missing_count_{0};
};

}  // namespace sheaf::cbf
