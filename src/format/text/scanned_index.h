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

/// The location of a sequence.
struct SequenceLocation {
  std::int64_t line = 0;
  std::int64_t offset = 0;  // in the source
};

/// A GrowingIndex whose chunks are found by the scanner of a text format.
class ScannedIndex : public GrowingIndex {
 public:
  /// The data to index, and the options.
  struct Parts {
    std::shared_ptr<const ByteSource> source;
    ScanPart rows;  // all rows of the source

    /// Makes the scanner of a part of the source. All scans of a part return the same chunks.
    std::function<std::unique_ptr<Scanner>(const ScanPart&)> make_scanner;

    std::optional<BlockFormat> blocks;  // nothing: the text can only be scanned from its beginning
    std::int64_t stream_count = 0;
    bool may_repeat_keys = false;  // the index looks for repeated keys
    bool may_drop = false;         // sequences may be left out of the index
    bool fills_up = false;         // there may be more samples than bytes
    std::string_view cost_name{};  // of scanned costs; empty if the cost is bytes of text
    IndexOptions options;
    FileSystem* files = nullptr;  // of the index file; not null
    IndexIdentity identity;
    std::optional<FoundStreams> found;  // kept in the index file, if streams had to be found
    std::string_view warning_code;      // of warnings about the index file
  };

  /// Throws: ConfigError if an index file is required and none fits.
  explicit ScannedIndex(Parts parts);

  /// The cost of a sequence is the cost that scanners find, or else its bytes of text.
  [[nodiscard]] CostMeasure cost_measure() const override;
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;

  /// Returns the location of the first sequence with this key.
  ///
  /// Pre: there is one.
  [[nodiscard]] SequenceLocation first_location(const SequenceKey& key) const;

  /// As FoundInside::found().
  [[nodiscard]] const std::optional<FoundStreams>& found() const noexcept;

 private:
  explicit ScannedIndex(const std::shared_ptr<const TextChunks>& text);

  const TextChunks& text_;
};

}  // namespace sheaf::internal
