// The index of a text.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "format/text/block_scan.h"
#include "format/text/scan_notes.h"
#include "format/text/scanned_chunk.h"
#include "index/growing_index.h"
#include "index/index_file.h"

namespace sheaf::internal {

class TextChunks;

/// Where a sequence begins.
struct SequencePlace {
  std::int64_t line = 0;
  std::int64_t offset = 0;  // in the source
};

/// A GrowingIndex whose chunks are found by the scanner of a text format.
class ScannedIndex : public GrowingIndex {
 public:
  /// What to index, and how.
  struct Parts {
    std::shared_ptr<const ByteSource> source;
    ScanPart rows;  // all rows of the source

    /// Makes the scanner of a part of the source. Scans of the same part give the same.
    std::function<std::unique_ptr<Scanner>(const ScanPart&)> make_scanner;

    std::optional<BlockFormat> blocks;  // nothing: the text is scanned from its beginning only
    std::int64_t stream_count = 0;
    bool may_repeat_keys = false;  // repeated keys are to be found
    bool may_drop = false;         // sequences may be left out of the index
    bool fills_up = false;         // there may be more samples than bytes
    std::string_view cost_name{};  // of the costs that scanners find; empty: bytes of text
    IndexOptions options;
    FileSystem* files = nullptr;  // that the index file lies in; not null
    IndexIdentity identity;
    std::optional<FoundStreams> found;  // kept in the index file, where streams had to be found
    std::string_view warning_code;      // of warnings about the index file
  };

  /// Throws: ConfigError where an index file is required and there is none that fits.
  explicit ScannedIndex(Parts parts);

  /// The cost of a sequence is what scanners find, or its bytes of text.
  [[nodiscard]] CostMeasure cost_measure() const override;
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;

  /// Returns where the first sequence with this key is.
  ///
  /// Pre: there is one.
  [[nodiscard]] SequencePlace first_place(const SequenceKey& key) const;

  /// As FoundInside::found().
  [[nodiscard]] const std::optional<FoundStreams>& found() const noexcept;

 private:
  explicit ScannedIndex(const std::shared_ptr<const TextChunks>& text);

  const TextChunks& text_;
};

}  // namespace sheaf::internal
