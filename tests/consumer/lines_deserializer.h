/// \file
/// A format that sheaf does not know.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/sheaf.h"

/// Numbers between commas. A line is a sequence, a number a sample of the stream "value"; the key
/// is the number of the line, from 0. A line with anything else in it is left out.
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
