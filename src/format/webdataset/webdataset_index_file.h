// The scan of a shard, kept in an index file beside the shard.

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

/// How the index file of a shard is used.
struct IndexFileUse {
  FileSystem* files = nullptr;  // not null
  IndexOptions options = {};
  std::int64_t write_min_bytes = std::int64_t{16} << 20;  // smaller shards have no index file
};

/// Returns the scan that the index file of a shard keeps. Where there is no index file that fits,
/// scans the shard, and writes the file where the options ask for one. Appends warnings about the
/// index file.
///
/// Throws: as scan_shard(); ConfigError where the options require an index file and no file fits;
///         IoError where the index file is damaged.
[[nodiscard]] ShardScan kept_scan(const std::shared_ptr<const ByteSource>& source,
                                  const ScanRules& rules, const IndexFileUse& use,
                                  std::vector<Diagnostic>& warnings);

/// Returns what a scan has besides its sequences, as text.
[[nodiscard]] std::string notes_of(const ShardScan& scan);

/// Returns a scan without sequences that notes_of() made the text from; nothing for other texts.
[[nodiscard]] std::optional<ShardScan> scan_of_notes(std::string_view notes);

}  // namespace sheaf::webdataset
