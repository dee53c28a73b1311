// An index in which each sequence occurs several times in a row.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sheaf/extend/index.h"

namespace sheaf::image_base64 {

/// Returns a chunk of lines with the numbers of their views.
[[nodiscard]] ChunkInfo with_views(ChunkInfo lines, std::int64_t view_count) noexcept;

/// The views of images: sequence `i` of a chunk is view `i % view_count` of line `i / view_count`.
/// Each view has the cost, the location and the key of its line.
class ViewsIndex final : public Index {
 public:
  /// The chunks of `lines`, with the memory of all views.
  ///
  /// Lifetime: `lines` must outlive the index.
  ViewsIndex(const Index& lines, std::int64_t view_count) : lines_(lines), views_(view_count) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override { return lines_.memory_bytes(); }
  [[nodiscard]] CostMeasure cost_measure() const override { return lines_.cost_measure(); }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;

 private:
  const Index& lines_;
  const std::int64_t views_;
};

}  // namespace sheaf::image_base64
