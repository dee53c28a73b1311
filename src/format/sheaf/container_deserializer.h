// Reads containers.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/sheaf/container_file.h"
#include "format/sheaf/container_index.h"
#include "format/sheaf/container_schema.h"

namespace sheaf::container {

/// Threads: as Deserializer.
class ContainerDeserializer final : public Deserializer {
 public:
  /// Throws: DataError if the file is damaged as a whole; ConfigError; IoError.
  ContainerDeserializer(std::shared_ptr<const ByteSource> source, const FormatOptions& options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return schema_.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] std::vector<StorageNote> storage() const override;
  [[nodiscard]] std::string part_note() const override { return file_.directory.note().part; }
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;

 private:
  const ContainerFile file_;
  const ContainerSchema schema_;
  const ContainerIndex index_;
};

}  // namespace sheaf::container
