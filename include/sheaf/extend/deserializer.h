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

/// What arrays of one kind take in a file that compresses them.
struct StorageNote {
  std::string stream;  // its name in the file; empty for the keys of the sequences
  std::string array;   // "values", "indices"
  std::string codec;   // "raw", "packed"
  std::int64_t array_count = 0;
  std::int64_t content_bytes = 0;  // before they are compressed
  std::int64_t stored_bytes = 0;
};

/// How often a cache was of use. A unit is the least that a reader reads.
struct CacheCounts {
  std::int64_t hits = 0;    // units that came from the cache
  std::int64_t misses = 0;  // units that the cache did not have
};

/// Reads one data set of one format. A deserializer does not change once it exists.
///
/// Implement this interface for data of your own: pass the object to a Reader, or add a format to
/// the library (docs/adding-a-format.md).
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
  /// different otherwise. A position remembers the data by it.
  [[nodiscard]] virtual std::string fingerprint() const = 0;

  /// Reads and decodes sequences of a chunk. A sequence that breaks the rules of the format becomes
  /// a hole of the result, and `diagnostics` gets each wrong place of the sequence.
  ///
  /// Each hole has at least one wrong place. A sequence that is delivered may have wrong places,
  /// too, as with CNTK's leniencies. A place of severity `warning` does not count, and makes no
  /// hole.
  ///
  /// The result must agree with index() and streams(): as many sequences as the range has, each of
  /// the indexed length unless the sequence is a hole, and each sparse index below the dim. The
  /// reader does not check lengths and indices: a class that reads foreign data has to. checked()
  /// of sheaf/extend/checked.h checks them, for tests.
  ///
  /// Order:  sequence i of the result is sequence range.first + i of the chunk in the index.
  ///         `diagnostics` use the numbers of the index.
  /// Pre:    the chunk exists; 0 <= range.first < its sequence_count; range.count > 0, and no more
  ///         than the chunk has: the reader has replaced ChunkRange::kAll.
  /// Throws: IoError. Never DataError: the reader decides how much bad data is too much.
  [[nodiscard]] virtual Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const = 0;

  /// Returns the place of the first value that a sequence has in one stream. A transform that finds
  /// wrong data, such as a damaged image, is reported with this place: `path`, `line` and `column`
  /// where they are known, `byte_offset` and `sequence_key`. The byte offset is kNoPlace where the
  /// file encodes the values, for example as base64. By default nothing is known.
  ///
  /// Pre:    `sequence` is a number within the chunk, and `stream` a number within streams().
  ///
  /// Throws: as index().
  [[nodiscard]] virtual Diagnostic place_of(ChunkIndex /*chunk*/, std::int64_t /*sequence*/,
                                            std::int64_t /*stream*/) const {
    return {.byte_offset = Diagnostic::kNoPlace};
  }

  /// Returns whether read() of a single sequence of some kilobytes takes about as long as the share
  /// of the sequence in a read of very many. Under a memory limit the reader then reads sequences
  /// of a window one by one, where the window does not fit the limit. The default is false.
  [[nodiscard]] virtual bool has_fast_random_access() const noexcept { return false; }

  /// Builds the rest of the index with the threads of `executor`. What index() found so far stays.
  /// Does nothing where the index is complete. A caller that needs all chunks calls this function
  /// before the caller walks the index: asking for chunk after chunk takes one thread.
  ///
  /// Where `sink` is not null and wants data of so many chunks, the deserializer may also decode
  /// sequences on the way, and hands them over. The deserializer does not keep them.
  ///
  /// Throws: as index(); what `sink` throws.
  virtual void build_index(Executor& /*executor*/, DecodedSink* /*sink*/) const {}

  /// Calls `visit` with the path of each file that the opened files name, such as the archives of a
  /// list of utterances. A conversion never replaces such a file. An archive also gives its own
  /// path, since the list that a conversion writes may want an archive of the same name. A path may
  /// come several times, and need not lead to a file. By default there are no such files.
  ///
  /// Throws: IoError; what `visit` throws.
  virtual void visit_named_files(
      const std::function<void(const std::string& path)>& /*visit*/) const {}

  /// Returns how the files store streams, by stream, array and codec. By default, and for formats
  /// that do not compress, nothing.
  [[nodiscard]] virtual std::vector<StorageNote> storage() const { return {}; }

  /// Returns what a part for merge() says of itself: SerializerOptions::part_note, with the number
  /// of each chunk that does not end a chunk of the input as "open_chunks". Empty for other data.
  [[nodiscard]] virtual std::string part_note() const { return {}; }

  /// Returns how often a cache was of use so far. By default there is no cache.
  [[nodiscard]] virtual CacheCounts cache_counts() const { return {}; }

  /// Returns the warnings about the data as a whole that are known so far: streams of the file that
  /// nobody asked for, dropped sequences, an index file that could not be used. Each comes once,
  /// with severity `warning`, in the order of the file. Warnings about single sequences come with
  /// read().
  [[nodiscard]] virtual std::vector<Diagnostic> warnings() const { return {}; }
};

}  // namespace sheaf
