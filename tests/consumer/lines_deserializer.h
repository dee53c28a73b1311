/// \file
/// A format that is not part of sheaf.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/sheaf.h"

/// Reads numbers separated by commas. A line is a sequence, and a number is a sample of the stream
/// "value". The key is the line number, from 0. A line with anything else is a hole.
class LinesDeserializer final : public sheaf::Deserializer {
 public:
  /// Pre: chunk_lines > 0.
  LinesDeserializer(std::string text, std::int64_t chunk_lines);

  [[nodiscard]] std::span<const sheaf::Stream> streams() const noexcept override {
    return streams_;
  }
  [[nodiscard]] const sheaf::Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override;
  [[nodiscard]] sheaf::Chunk read(const sheaf::ChunkRange& range,
                                  sheaf::Diagnostics& diagnostics) const override;

 private:
  std::string text_;
  std::vector<sheaf::Stream> streams_;
  sheaf::MemoryIndex index_;
};
