// Keeps the scan of a shard in an index file beside the shard.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "format/webdataset/webdataset_scan.h"

namespace sheaf::webdataset {

/// How to use the index file of a shard.
struct IndexFileUse {
  FileSystem* files = nullptr;  // not null
  IndexOptions options = {};
  std::int64_t write_min_bytes = std::int64_t{16} << 20;  // smaller shards get no index file
};

/// Returns the scan in the index file of a shard. If no index file fits, scans the shard, and
/// writes the file if the options ask for one. Appends warnings about the index file.
///
/// Throws: as scan_shard(); ConfigError if the options require an index file and none fits; IoError
///         if the index file is damaged.
[[nodiscard]] ShardScan kept_scan(const std::shared_ptr<const ByteSource>& source,
                                  const ScanRules& rules, const IndexFileUse& use,
                                  std::vector<Diagnostic>& warnings);

/// Returns the parts of a scan other than its sequences, as text.
[[nodiscard]] std::string notes_of(const ShardScan& scan);

/// Parses a text of notes_of() into a scan without sequences. Returns nothing for any other text.
[[nodiscard]] std::optional<ShardScan> scan_of_notes(std::string_view notes);

}  // namespace sheaf::webdataset
