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

/// One image, and the view that a sequence has of it.
struct ImageView {
  std::int64_t image = 0;  // number in the map
  std::int32_t view = 0;
};

/// Images lie in an imagined source, one behind the other. The views of an image are consecutive
/// sequences of one key. A table is made when it is asked for.
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

  /// Returns where the line of an image ends at the latest: at the next line with an image, or at
  /// the end of the map.
  ///
  /// Pre: 0 <= image < images().count().
  [[nodiscard]] std::int64_t line_end(std::int64_t image) const noexcept;

  /// Returns whether an earlier image has the same key, where the rules allow no such image.
  [[nodiscard]] bool is_repeated(std::int64_t image) const noexcept;

 private:
  /// The views of some images: `first` to `last` - 1.
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
  std::vector<std::int64_t> first_images_;  // of each chunk, and the end; empty: see has_chunk_each
};

}  // namespace sheaf::image_map
