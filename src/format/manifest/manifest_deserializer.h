// A manifest as a data set.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/manifest/manifest_files.h"
#include "format/manifest/manifest_index.h"
#include "format/manifest/manifest_options.h"

namespace sheaf::manifest {

class ManifestDeserializer final : public Deserializer {
 public:
  /// Throws: DataError if the first line is not a line of a manifest; ConfigError, DataError,
  ///         IoError as read_options_of() and ManifestIndex.
  explicit ManifestDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return index_.warnings(); }

 private:
  const std::shared_ptr<const ByteSource> manifest_;
  const ReadOptions options_;
  mutable ManifestFiles files_;
  const ManifestIndex index_;
  std::vector<Stream> streams_;
};

}  // namespace sheaf::manifest
