// How a format finds the chunks of data whose file does not say where chunks lie.

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

/// Goes over data once.
class Scanner {
 public:
  virtual ~Scanner() = default;

  /// Returns the next chunk; nothing at the end.
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
  std::int64_t first = 0;  // sequence of `kept` that is the first of the range
};

/// What a scan of all data with many threads gives besides the chunks.
struct ScanResult {
  std::vector<Diagnostic> warnings;
  std::vector<DecodedRange> decoded;  // in order; empty: nothing was asked for
};

/// What an index file says of its data as a whole.
struct FileContents {
  std::string fault;  // why the file cannot be of these data; empty: it can
  std::vector<Diagnostic> warnings;
  std::string new_notes;  // notes that the file should have; empty: it has them
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

  /// Returns how much memory a scan may take beyond what every scan takes.
  [[nodiscard]] virtual std::int64_t scan_bytes() const noexcept = 0;

  /// Finds the sequences of a known chunk once more.
  ///
  /// Throws: IoError, also where the data have changed since.
  [[nodiscard]] virtual SequenceTable find_again(const ChunkInfo& chunk,
                                                 std::int64_t sequences_before) const = 0;

  /// Returns whether to scan all data anew with so many threads, instead of going on with one
  /// thread behind `last`, the last known chunk. Nothing is known where `last` is empty.
  [[nodiscard]] virtual bool is_worth_all_threads(const std::optional<ChunkInfo>& last,
                                                  int thread_count) const = 0;

  /// Scans all the data with the threads of `executor`. `take` gets each chunk, in order, from one
  /// thread at a time. The result has sequences, as `sink` keeps them, where there is a sink that
  /// wants data of so many chunks, as estimated from the sizes.
  ///
  /// Throws: IoError, DataError; what `take` and `sink` throw.
  virtual ScanResult scan_all(Executor& executor, DecodedSink* sink,
                              const std::function<void(ScannedChunk)>& take) const = 0;

  /// Throws: IoError. The message says that the data are no longer what was indexed, near the
  ///         beginning of this chunk.
  [[noreturn]] virtual void throw_changed(const ChunkInfo& chunk) const = 0;

  /// Reads what an index file says of the data as a whole. The file has the right identity.
  [[nodiscard]] virtual FileContents contents_of(const IndexFile& file) const = 0;

  /// Returns whether a chunk of an index file can have this table and these notes.
  [[nodiscard]] virtual bool fits(const ChunkInfo& chunk, const SequenceTable& sequences,
                                  const ChunkNotes& notes) const = 0;

  /// Returns the notes for an index file of data that were scanned with these warnings.
  [[nodiscard]] virtual std::string notes_for_file(
      const std::vector<Diagnostic>& warnings) const = 0;
};

}  // namespace sheaf::internal
