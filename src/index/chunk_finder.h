// Finds the chunks of data whose file does not list them. Each format implements this interface.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/decoded_sink.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

#include "index/chunk_notes.h"
#include "index/index_file.h"

namespace sheaf::internal {

struct ScannedChunk {
  ChunkInfo info;
  SequenceTable sequences;
  ChunkNotes notes;
};

/// Scans the data once, from front to back.
class Scanner {
 public:
  virtual ~Scanner() = default;

  /// Returns the next chunk, or nothing at the end.
  ///
  /// Throws: IoError, DataError.
  virtual std::optional<ScannedChunk> next() = 0;

  /// Returns the warnings so far, in the order of the file.
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const = 0;
};

/// Consecutive sequences of one chunk that were decoded while the chunk was found.
struct DecodedRange {
  ChunkRange range;
  DecodedSink::Kept kept;  // null: the sequences were not decoded
  std::int64_t first = 0;  // number in `kept` of the first sequence of the range
};

/// The results, besides the chunks, of a scan of all data with many threads.
struct ScanResult {
  std::vector<Diagnostic> warnings;
  std::vector<DecodedRange> decoded;  // in order; empty if no sink wanted data
};

/// The statements of an index file about its data as a whole.
struct FileContents {
  std::string fault;  // why the file cannot belong to these data; empty if it can
  std::vector<Diagnostic> warnings;
  std::string new_notes;  // notes that the file should have instead; empty if it has them
};

/// Finds the chunks of one data set. A format implements the interface; GrowingIndex drives it.
///
/// Every scan of the same data gives the same chunks.
///
/// Threads: all calls are safe from any number of threads.
class ChunkFinder {
 public:
  virtual ~ChunkFinder() = default;

  /// Begins a scan of all the data, at the front.
  [[nodiscard]] virtual std::unique_ptr<Scanner> scan() const = 0;

  /// Returns how many bytes of the file the first `offset_bytes` bytes of the data take. Differs
  /// from `offset_bytes` for a compressed file.
  [[nodiscard]] virtual std::int64_t stored_bytes(std::int64_t offset_bytes) const noexcept {
    return offset_bytes;
  }

  /// Returns how much memory a scan may take besides the memory that any scan takes.
  [[nodiscard]] virtual std::int64_t scan_bytes() const noexcept = 0;

  /// Finds the sequences of a known chunk again.
  ///
  /// Throws: IoError, also if the data have changed since the scan.
  [[nodiscard]] virtual SequenceTable find_again(const ChunkInfo& chunk,
                                                 std::int64_t sequences_before) const = 0;

  /// Returns whether to scan all data again with `thread_count` threads, instead of continuing with
  /// one thread behind `last`, the last known chunk. An empty `last` means that no chunk is known.
  [[nodiscard]] virtual bool is_worth_all_threads(const std::optional<ChunkInfo>& last,
                                                  int thread_count) const = 0;

  /// Scans all the data with the threads of `executor`. Calls `take` with each chunk, in order,
  /// from one thread at a time. Estimates the number of chunks from the sizes. If there is a
  /// sink that wants data of that many chunks, the result has the decoded sequences, in the form
  /// that `sink` keeps.
  ///
  /// Throws: IoError, DataError; the exceptions of `take` and `sink`.
  virtual ScanResult scan_all(Executor& executor, DecodedSink* sink,
                              const std::function<void(ScannedChunk)>& take) const = 0;

  /// Throws: IoError that says that the data have changed since they were indexed, near the
  ///         beginning of this chunk.
  [[noreturn]] virtual void throw_changed(const ChunkInfo& chunk) const = 0;

  /// Reads the statements of an index file about its data as a whole. The file has the right
  /// identity.
  [[nodiscard]] virtual FileContents contents_of(const IndexFile& file) const = 0;

  /// Returns whether a chunk of an index file can have this table and these notes.
  [[nodiscard]] virtual bool fits(const ChunkInfo& chunk, const SequenceTable& sequences,
                                  const ChunkNotes& notes) const = 0;

  /// Returns the notes for an index file of data whose scan gave these warnings.
  [[nodiscard]] virtual std::string notes_for_file(
      const std::vector<Diagnostic>& warnings) const = 0;
};

}  // namespace sheaf::internal
