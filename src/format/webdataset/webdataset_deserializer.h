// Tar shards as a data set.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/webdataset/webdataset_index.h"
#include "format/webdataset/webdataset_options.h"
#include "format/webdataset/webdataset_scan.h"

namespace sheaf::webdataset {

class WebdatasetDeserializer final : public Deserializer {
 public:
  /// Opens the source of a request, or else its paths, and scans the headers of all shards.
  ///
  /// Throws: ConfigError, DataError, IoError as read_options_of(), found_streams() and
  ///         scan_shard(); DataError if no entry belongs to a declared stream.
  explicit WebdatasetDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;
  [[nodiscard]] bool has_fast_random_access() const noexcept override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_; }

 private:
  /// The scans of all shards, which are needed only during construction.
  struct Opened {
    Shards shards;
    std::vector<ShardScan> scans;
    std::vector<Diagnostic> warnings;
  };

  WebdatasetDeserializer(const OpenRequest& request, const ReadOptions& options, Opened opened);
  [[nodiscard]] static Opened open(const OpenRequest& request, const ReadOptions& options);

  const ReadOptions options_;
  const Shards shards_;
  const std::vector<EntryStream> entries_;
  const ShardIndex index_;
  std::vector<Stream> streams_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace sheaf::webdataset
