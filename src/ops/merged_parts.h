/// \file
/// Reads the parts of a conversion, one after the other, as one data set.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"

#include "ops/part_note.h"

namespace sheaf::internal {

/// An open part.
struct OpenPart {
  std::string path = {};
  PartNote note = {};
  std::shared_ptr<const Deserializer> data = nullptr;
};

/// The chunks of all parts, numbered from 0. Keys may repeat, since the parts come from one data
/// set.
class MergedIndex final : public Index {
 public:
  /// Lifetime: `parts` must outlive the index.
  explicit MergedIndex(std::span<const OpenPart> parts);

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Returns the measure that all parts declare.
  [[nodiscard]] CostMeasure cost_measure() const override;

  /// A chunk of a part.
  struct PartChunk {
    std::size_t part = 0;
    ChunkIndex chunk{};
  };

  /// Pre: the chunk exists.
  [[nodiscard]] PartChunk location(ChunkIndex chunk) const noexcept;

 private:
  std::span<const OpenPart> parts_;
  std::vector<std::int64_t> ends_;          // [part]: number of chunks up to the end of the part
  std::vector<std::int64_t> bytes_before_;  // [part]: bytes before the part
};

class MergedParts final : public Deserializer {
 public:
  /// Pre: at least one part; all parts have the same streams.
  explicit MergedParts(std::vector<OpenPart> parts) : parts_(std::move(parts)), index_(parts_) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return parts_.front().data->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override;

  /// Returns whether this chunk ends a chunk of the input.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] bool ends_input(ChunkIndex chunk) const;

 private:
  const std::vector<OpenPart> parts_;
  const MergedIndex index_;
};

}  // namespace sheaf::internal
