// The chunks of a map of images.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/index.h"

#include "format/image_map/image_map_options.h"
#include "format/image_map/image_map_scan.h"

namespace sheaf::image_map {

/// An image, and the view of the image that a sequence has.
struct ImageView {
  std::int64_t image = 0;  // number in the map
  std::int32_t view = 0;
};

/// The images lie in an imaginary source, one after the other. The views of an image are
/// consecutive sequences with the same key. A table is made on demand.
///
/// Cost:    as MapImages, and 8 bytes for each chunk of several images.
/// Threads: as Index.
class ImageMapIndex final : public Index {
 public:
  /// Lifetime: `map` and `options` must outlive the object.
  ImageMapIndex(const ByteSource& map, const ReadOptions& options, MapImages images);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] CostMeasure cost_measure() const override {
    return {.name = options_.reads_headers ? "pixels" : "bytes"};
  }

  [[nodiscard]] const MapImages& images() const noexcept { return images_; }

  /// Returns the image of a sequence, and the view.
  ///
  /// Pre: the sequence exists.
  [[nodiscard]] ImageView view_of(ChunkIndex chunk, std::int64_t sequence) const noexcept;

  /// Returns an upper bound for the end of an image's line: the next line with an image, or the end
  /// of the map.
  ///
  /// Pre: 0 <= image < images().count().
  [[nodiscard]] std::int64_t line_end(std::int64_t image) const noexcept;

  /// Returns whether an earlier image has the same key and the rules forbid that.
  [[nodiscard]] bool is_repeated(std::int64_t image) const noexcept;

 private:
  /// The views of the images [first, last).
  struct Views {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  [[nodiscard]] std::int64_t view_count() const noexcept { return options_.streams.view_count; }
  [[nodiscard]] Views views_in(ChunkIndex chunk) const noexcept;
  void cut_chunks();

  const ByteSource& map_;
  const ReadOptions& options_;
  const MapImages images_;
  std::vector<std::int64_t> first_images_;  // of each chunk; then the end; empty if has_chunk_each
};

}  // namespace sheaf::image_map
