// Scans a map of images when it is opened.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/packed_ints.h"

#include "format/image_map/image_map_archives.h"
#include "format/image_map/image_map_errors.h"
#include "format/image_map/image_map_line.h"
#include "format/image_map/image_map_options.h"

namespace sheaf::image_map {

/// The images of a map, in the order of its lines. Each list has a value for each image.
///
/// Cost: about 25 bytes for each image whose key is a text.
struct MapImages {
  /// In `archives`, the image is a file of its own. In `entries`, the archive has no such entry.
  static constexpr std::int64_t kNone = -1;

  PackedInts keys_low;
  PackedInts keys_high;
  PackedInts line_offsets;  // in the map
  PackedInts line_numbers;  // counted from 1
  PackedInts archives;
  PackedInts entries;
  PackedInts image_ends;  // end of each image in bytes, as if images were contiguous
  PackedInts pixels;      // empty unless headers are read

  std::vector<std::int64_t> repeated;  // images with the key of an earlier image; ascending
  std::uint64_t sizes_hash = 0;        // of the sizes of all images

  [[nodiscard]] std::int64_t count() const noexcept { return line_offsets.size(); }

  /// Returns the offset of an image, as if images were contiguous.
  ///
  /// Pre: 0 <= i <= count().
  [[nodiscard]] std::int64_t image_begin(std::int64_t i) const noexcept {
    return i == 0 ? 0 : image_ends[i - 1];
  }
  [[nodiscard]] std::int64_t size_bytes(std::int64_t i) const noexcept {
    return image_ends[i] - image_begin(i);
  }
};

/// Reads the lines of a map, and looks up the sizes of all images, many at a time. An image that
/// cannot be opened has no bytes. `archives` opens the archives that the map names.
///
/// Throws: DataError if no line has an image, for a key that must be a number and is not, and,
///         under CNTK's rules, for any wrong line; IoError if the map or an archive cannot be read.
[[nodiscard]] MapImages scan_map(const ByteSource& map, const LineRules& rules,
                                 const ReadOptions& options, const Context& context,
                                 std::int64_t row_size_max, MapArchives& archives);

/// The location of a line.
struct LineLocation {
  std::string_view text{};
  std::int64_t offset = 0;  // in the map
  std::int64_t number = 0;  // counted from 1
};

/// Returns the diagnostic for a part of a line: `size` bytes from `begin`.
[[nodiscard]] Diagnostic location_in_map(const ByteSource& map, const LineLocation& line,
                                         const ErrorKind& kind, std::size_t begin, std::size_t size,
                                         std::string found);

}  // namespace sheaf::image_map
