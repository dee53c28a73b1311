#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::toys {

/// Reads the format that blobs_deserializer.cc describes.
class BlobsDeserializer final : public Deserializer {
 public:
  /// Throws: as Format::open.
  BlobsDeserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;

 private:
  void make_index(std::int64_t chunk_size_bytes);

  std::shared_ptr<const ByteSource> source_;
  std::vector<Stream> streams_;
  std::int64_t read_size_bytes_;
  std::string fingerprint_;
  MemoryIndex index_;
};

}  // namespace sheaf::toys
