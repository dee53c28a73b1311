// The chunks of a text, for its index.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/text/scanned_index.h"
#include "index/chunk_finder.h"

namespace sheaf::internal {

/// Finds chunks with the scanners of a text format. Scans many blocks at once if the format
/// supports that.
class TextChunks final : public ChunkFinder {
 public:
  explicit TextChunks(ScannedIndex::Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const ScannedIndex::Parts& parts() const noexcept { return parts_; }

  [[nodiscard]] std::unique_ptr<Scanner> scan() const override;
  [[nodiscard]] std::int64_t stored_bytes(std::int64_t offset_bytes) const noexcept override;
  [[nodiscard]] std::int64_t scan_bytes() const noexcept override;
  [[nodiscard]] SequenceTable find_again(const ChunkInfo& chunk,
                                         std::int64_t sequences_before) const override;
  [[nodiscard]] bool is_worth_all_threads(const std::optional<ChunkInfo>& last,
                                          int thread_count) const override;
  ScanResult scan_all(Executor& executor, DecodedSink* sink,
                      const std::function<void(ScannedChunk)>& take) const override;
  [[noreturn]] void throw_changed(const ChunkInfo& chunk) const override;
  [[nodiscard]] FileContents contents_of(const IndexFile& file) const override;
  [[nodiscard]] bool fits(const ChunkInfo& chunk, const SequenceTable& sequences,
                          const ChunkNotes& notes) const override;
  [[nodiscard]] std::string notes_for_file(const std::vector<Diagnostic>& warnings) const override;

 private:
  [[nodiscard]] std::string fault_of(const IndexFile& file) const;

  const ScannedIndex::Parts parts_;
};

/// Throws an IoError that says that the source has changed since it was indexed, near this line.
[[noreturn]] void throw_changed_since_indexed(std::string_view name, std::int64_t line);

}  // namespace sheaf::internal
