// Reads a range of the sequences of a chunk.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/file_system.h"

#include "format/image_map/image_map_archives.h"
#include "format/image_map/image_map_index.h"
#include "format/image_map/image_map_line.h"
#include "format/image_map/image_map_options.h"
#include "format/images/image_columns.h"

namespace sheaf::image_map {

/// The context of a range.
struct RangeSource {
  const ByteSource& map;
  FileSystem& files;
  const MapArchives& archives;
  const ImageMapIndex& index;
  const ReadOptions& options;
  const LineRules& rules;
};

/// A line of the map, and its location.
struct LocatedLine {
  MapLine line;
  std::string text;
  std::int64_t offset = 0;
  std::int64_t number = 0;
};

/// Reads and parses the lines of consecutive images.
///
/// Pre:    the images exist, and first < last.
/// Throws: IoError, also if the map has changed since it was indexed.
[[nodiscard]] std::vector<LocatedLine> read_lines(const RangeSource& source, std::int64_t first,
                                                  std::int64_t last);

/// Reads one range of a chunk. Can be used once.
class RangeReader {
 public:
  RangeReader(const RangeSource& source, const ChunkRange& range, Diagnostics& diagnostics);

  /// Throws: IoError, also if a file has changed since it was indexed.
  [[nodiscard]] Chunk read();

 private:
  /// The facts about one image of the range.
  struct Image {
    std::shared_ptr<const ByteSource> source;
    std::int64_t location = 0;  // offset in the bytes of all images of the range
    std::int64_t size_bytes = 0;
    std::vector<Diagnostic> faults;
  };

  void find_faults(std::int64_t number);
  void open(std::int64_t number);
  void add_fault(std::int64_t number, const ErrorKind& kind, std::size_t begin, std::size_t size,
                 std::string found);
  [[nodiscard]] Buffer read_images();
  [[nodiscard]] const LocatedLine& line(std::int64_t image) const {
    return lines_[static_cast<std::size_t>(image - first_)];
  }
  [[nodiscard]] Image& image(std::int64_t number) {
    return images_[static_cast<std::size_t>(number - first_)];
  }

  const RangeSource& source_;
  const ChunkRange range_;
  Diagnostics& diagnostics_;
  std::int64_t sequence_count_ = 0;
  std::int64_t first_ = 0;  // first image of the range
  std::int64_t last_ = 0;   // end of the range
  std::vector<LocatedLine> lines_;
  std::vector<Image> images_;
};

}  // namespace sheaf::image_map
