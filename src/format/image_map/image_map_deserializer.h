// A map of images as a data set.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "format/image_map/image_map_archives.h"
#include "format/image_map/image_map_index.h"
#include "format/image_map/image_map_options.h"
#include "format/image_map/image_map_range.h"

namespace sheaf::image_map {

class ImageMapDeserializer final : public Deserializer {
 public:
  /// Reads the map, and looks up the size of each image.
  ///
  /// Throws: ConfigError as read_options_of(); DataError, IoError as scan_map().
  explicit ImageMapDeserializer(const OpenRequest& request);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return options_.streams.streams;
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;

  /// Images are files, or entries that are read one by one.
  [[nodiscard]] bool has_fast_random_access() const noexcept override { return true; }
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override;

 private:
  [[nodiscard]] RangeSource range_source() const {
    return {.map = *map_,
            .files = files_,
            .archives = archives_,
            .index = index_,
            .options = options_,
            .rules = rules_};
  }

  const std::shared_ptr<const ByteSource> map_;
  FileSystem& files_;
  const ReadOptions options_;
  const LineRules rules_;
  MapArchives archives_;
  const ImageMapIndex index_;
};

}  // namespace sheaf::image_map
