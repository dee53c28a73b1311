/// \file
/// The interface that turns the bytes of one format into chunks.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/decoded_sink.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf {

/// The sizes of one kind of arrays in a file that compresses arrays.
struct StorageNote {
  std::string stream;  // the name in the file; empty for the keys of the sequences
  std::string array;   // "values", "indices"
  std::string codec;   // "raw", "packed"
  std::int64_t array_count = 0;
  std::int64_t content_bytes = 0;  // before compression
  std::int64_t stored_bytes = 0;
};

/// How often a cache had the units that a reader needed.
struct CacheCounts {
  std::int64_t hits = 0;    // units that were read from the cache
  std::int64_t misses = 0;  // units that were not in the cache
};

/// Reads one data set of one format. A deserializer is immutable.
///
/// Implement this interface to read data of your own. Pass the object to a Reader, or add a format
/// to the library (docs/adding-a-format.md).
///
/// Threads: all calls are safe from any number of threads.
class Deserializer {
 public:
  virtual ~Deserializer() = default;

  /// Returns the streams of every sequence, in the order in which the caller asked for them.
  ///
  /// Lifetime: as long as the deserializer.
  [[nodiscard]] virtual std::span<const Stream> streams() const noexcept = 0;

  /// Lifetime: as long as the deserializer.
  [[nodiscard]] virtual const Index& index() const noexcept = 0;

  /// Returns a short, printable text that is equal for equal content read with equal options, and
  /// different otherwise. A position stores this text to identify the data.
  [[nodiscard]] virtual std::string fingerprint() const = 0;

  /// Reads and decodes sequences of a chunk. A sequence that breaks the rules of the format becomes
  /// a hole of the result, and `diagnostics` gets each error of the sequence.
  ///
  /// Each hole has at least one error. A delivered sequence may have errors, too, for example with
  /// CNTK's leniencies. A warning is not an error and makes no hole.
  ///
  /// The result must agree with index() and streams(): as many sequences as the range has, each of
  /// the indexed length unless the sequence is a hole, and each sparse index below the dim. The
  /// reader does not check lengths and indices. A class that reads untrusted data must check them
  /// itself. In tests, use checked() of sheaf/extend/checked.h.
  ///
  /// Order:  sequence i of the result is sequence range.first + i of the chunk in the index.
  ///         `diagnostics` use the sequence numbers of the index.
  /// Pre:    the chunk exists; 0 <= range.first < its sequence_count; range.count > 0; the range
  ///         ends within the chunk. The reader has replaced ChunkRange::kAll.
  /// Throws: IoError. Never DataError, because the reader decides how many errors are too many.
  [[nodiscard]] virtual Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const = 0;

  /// Returns the location of a sequence's first value in one stream. When a transform finds wrong
  /// data, such as a damaged image, the error gets this location: `path`, `line` and `column` if
  /// known, `byte_offset` and `sequence_key`. The byte offset is kNoOffset if the file encodes the
  /// values, for example as base64. By default, nothing is known.
  ///
  /// Pre:    `sequence` is a number within the chunk, and `stream` a number within streams().
  ///
  /// Throws: as index().
  [[nodiscard]] virtual Diagnostic location_of(ChunkIndex /*chunk*/, std::int64_t /*sequence*/,
                                               std::int64_t /*stream*/) const {
    return {.byte_offset = Diagnostic::kNoOffset};
  }

  /// Returns whether read() of a single sequence of a few kilobytes takes about as long as its
  /// share of a read of many sequences. If so, and if the window does not fit the memory limit, the
  /// reader reads the sequences of the window one by one. The default is false.
  [[nodiscard]] virtual bool has_fast_random_access() const noexcept { return false; }

  /// Builds the rest of the index with the threads of `executor`. Keeps the chunks that index() has
  /// found. Does nothing if the index is complete. A caller that needs all chunks calls this
  /// function first, because asking index() for chunk after chunk uses only one thread.
  ///
  /// If `sink` is not null and takes data with this number of chunks, the deserializer may also
  /// decode sequences and pass them to `sink`. The deserializer does not keep them.
  ///
  /// Throws: as index(); what `sink` throws.
  virtual void build_index(Executor& /*executor*/, DecodedSink* /*sink*/) const {}

  /// Calls `visit` with the path of each file that the opened files name, such as the archives of a
  /// list of utterances. A conversion never replaces such a file. An archive also passes its own
  /// path, because the list that a conversion writes may need an archive of the same name. A path
  /// may come several times, and need not lead to a file. By default, there are no such files.
  ///
  /// Throws: IoError; what `visit` throws.
  virtual void visit_named_files(
      const std::function<void(const std::string& path)>& /*visit*/) const {}

  /// Returns how the files store streams, by stream, array and codec. Empty by default, and for
  /// formats that do not compress.
  [[nodiscard]] virtual std::vector<StorageNote> storage() const { return {}; }

  /// Returns the description that a part for merge() stores: SerializerOptions::part_note, plus
  /// "open_chunks", the numbers of the chunks that do not end at the end of an input chunk. Empty
  /// for other data.
  [[nodiscard]] virtual std::string part_note() const { return {}; }

  /// Returns how often a cache was used so far. By default, there is no cache.
  [[nodiscard]] virtual CacheCounts cache_counts() const { return {}; }

  /// Returns the known warnings about the data as a whole, such as streams of the file that were
  /// not requested, dropped sequences, or an index file that could not be used. Each warning comes
  /// once, with severity `warning`, in the order of the file. read() returns the warnings about
  /// single sequences.
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
