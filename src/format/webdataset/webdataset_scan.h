// One pass over the headers of a shard.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/webdataset/webdataset_names.h"
#include "io/archive/tar_walker.h"

namespace sheaf::webdataset {

/// What decides how a shard is cut into sequences.
struct ScanRules {
  bool has_text_keys = true;
  bool joins_frames = false;
  bool reads_images = false;  // their extents
  std::int64_t read_size_bytes = 0;
};

/// An entry that belongs to a sequence.
struct DataEntry {
  std::string key;
  std::string suffix;  // in small letters; of a numbered frame without the number
  std::optional<std::int64_t> frame = {};  // the number of a frame, where frames are joined
  std::string name;                        // of the entry
  std::int64_t begin_bytes = 0;            // of its first header
  std::int64_t offset_bytes = 0;           // of its bytes
  std::int64_t size_bytes = 0;

  [[nodiscard]] std::int64_t end_bytes() const noexcept { return offset_bytes + size_bytes; }
};

/// Goes from one entry that belongs to a sequence to the next. Both the scan and the reading of a
/// range go over a shard with this class.
class EntryWalker {
 public:
  /// Lifetime: the source of `walker` must outlive the object.
  EntryWalker(internal::TarWalker walker, bool joins_frames)
      : walker_(std::move(walker)), joins_frames_(joins_frames) {}

  /// Throws: internal::TarDamage; IoError.
  [[nodiscard]] std::optional<DataEntry> next();

  /// Returns how many entries without a suffix came so far, and the name of the first.
  [[nodiscard]] std::int64_t no_suffix_count() const noexcept { return no_suffix_count_; }
  [[nodiscard]] const std::string& first_without_suffix() const noexcept {
    return first_without_suffix_;
  }

 private:
  internal::TarWalker walker_;
  bool joins_frames_;
  std::int64_t no_suffix_count_ = 0;
  std::string first_without_suffix_;
};

/// Which suffixes sequences have: numbers of ShardScan::suffixes, ascending.
using Pattern = std::vector<std::int32_t>;

struct ScannedSequence {
  SequenceKey key;
  std::int64_t begin_bytes = 0;  // of the first header
  std::int64_t end_bytes = 0;    // of the bytes of the last entry
  std::int64_t image_count = 0;  // of entries with a suffix of an image
  std::int64_t pattern = 0;      // number of ShardScan::patterns
  std::int64_t pixel_count = 0;  // of all images; 0 where extents are not read
};

/// What the headers of a shard say, whatever streams are read.
struct ShardScan {
  std::vector<std::string> suffixes;  // in the order in which they first occur
  std::vector<Pattern> patterns;
  std::vector<ScannedSequence> sequences;
  std::int64_t no_suffix_count = 0;
  std::string first_without_suffix;
};

/// Scans a shard.
///
/// Throws: DataError for a damaged archive, and names that no sequence can have; IoError.
/// Cost:   one read for each header, and some for the extents of an image; about 64 bytes for each
///         sequence.
[[nodiscard]] ShardScan scan_shard(const ByteSource& source, const ScanRules& rules);

/// Returns a diagnostic of a place of a shard.
[[nodiscard]] Diagnostic place_in_shard(const ByteSource& shard, const internal::ErrorKind& kind,
                                        std::int64_t byte_offset, std::string found = {});

}  // namespace sheaf::webdataset
