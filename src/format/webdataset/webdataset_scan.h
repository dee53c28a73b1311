// Scans the headers of a shard once.

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

/// The rules for cutting a shard into sequences.
struct ScanRules {
  bool has_text_keys = true;
  bool joins_frames = false;
  bool reads_images = false;  // reads the extents of images
  std::int64_t read_size_bytes = 0;
};

/// An entry that belongs to a sequence.
struct DataEntry {
  std::string key;
  std::string suffix;                      // in lower case; without the number for a numbered frame
  std::optional<std::int64_t> frame = {};  // number of a frame, if frames are joined
  std::string name;                        // of the entry
  std::int64_t begin_bytes = 0;            // of the entry's first header
  std::int64_t offset_bytes = 0;           // of the entry's bytes
  std::int64_t size_bytes = 0;

  [[nodiscard]] std::int64_t end_bytes() const noexcept { return offset_bytes + size_bytes; }
};

/// Walks from one entry of a sequence to the next. The scan and the reading of a range both use
/// this class.
class EntryWalker {
 public:
  /// Lifetime: the source of `walker` must outlive the EntryWalker.
  EntryWalker(internal::TarWalker walker, bool joins_frames)
      : walker_(std::move(walker)), joins_frames_(joins_frames) {}

  /// Throws: internal::TarDamage; IoError.
  [[nodiscard]] std::optional<DataEntry> next();

  /// Returns the number of entries without a suffix so far, and the name of the first.
  [[nodiscard]] std::int64_t no_suffix_count() const noexcept { return no_suffix_count_; }
  [[nodiscard]] const std::string& first_without_suffix() const noexcept {
    return first_without_suffix_;
  }

  /// Returns the number of links so far, and the name of the first.
  [[nodiscard]] std::int64_t link_count() const noexcept { return walker_.link_count(); }
  [[nodiscard]] const std::string& first_link() const noexcept { return walker_.first_link(); }

 private:
  internal::TarWalker walker_;
  bool joins_frames_;
  std::int64_t no_suffix_count_ = 0;
  std::string first_without_suffix_;
};

/// The suffixes of a sequence: numbers of ShardScan::suffixes, ascending.
using Pattern = std::vector<std::int32_t>;

struct ScannedSequence {
  SequenceKey key;
  std::int64_t begin_bytes = 0;  // of the first header
  std::int64_t end_bytes = 0;    // end of the last entry's bytes
  std::int64_t image_count = 0;  // number of entries with a suffix of an image
  std::int64_t pattern = 0;      // number of ShardScan::patterns
  std::int64_t pixel_count = 0;  // of all images; 0 if extents are not read
};

/// The contents of a shard's headers, independent of the streams that are read.
struct ShardScan {
  std::vector<std::string> suffixes;  // in the order of first occurrence
  std::vector<Pattern> patterns;
  std::vector<ScannedSequence> sequences;
  std::int64_t no_suffix_count = 0;
  std::string first_without_suffix;
  std::int64_t link_count = 0;
  std::string first_link;
};

/// Scans a shard.
///
/// Throws: DataError for a damaged archive, and names that no sequence can have; IoError.
/// Cost:   one read for each header, and some for the extents of an image; about 64 bytes for each
///         sequence.
[[nodiscard]] ShardScan scan_shard(const ByteSource& source, const ScanRules& rules);

/// Returns a diagnostic at a byte of a shard.
[[nodiscard]] Diagnostic location_in_shard(const ByteSource& shard, const internal::ErrorKind& kind,
                                           std::int64_t byte_offset, std::string found = {});

}  // namespace sheaf::webdataset
