// Describes an entry as its archive does.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/byte_source.h"

#include "base/text.h"

namespace sheaf::internal {

struct StoredEntry {
  ArchiveEntry entry;
  std::int64_t stored_bytes = 0;  // in the archive
  std::uint32_t checksum = 0;     // zip: CRC-32 of the entry
  int method = 0;                 // zip: 0 stored, 8 deflate
  bool is_encrypted = false;
};

/// Return the entries of an archive.
///
/// Throws: IoError for damage, with the offset of the damage.
[[nodiscard]] std::vector<StoredEntry> tar_entries(const ByteSource& source);
[[nodiscard]] std::vector<StoredEntry> zip_entries(const ByteSource& source);

/// Returns the offset at which the bytes of an entry begin.
///
/// Throws: IoError if there is no header of this entry.
[[nodiscard]] std::int64_t zip_data_offset(const ByteSource& source, const StoredEntry& entry);

[[noreturn]] inline void throw_damaged_archive(const ByteSource& source, std::int64_t offset,
                                               std::string_view why) {
  throw IoError(formatted("{}: damaged at byte {}: {}", source.name(), offset, why));
}

}  // namespace sheaf::internal
