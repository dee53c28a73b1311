// An index that grows chunk by chunk, from an index file or by a scan.

#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/decoded_sink.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/index.h"

#include "index/chunk_finder.h"
#include "index/index_file_keeper.h"
#include "index/known_chunks.h"
#include "index/recent_tables.h"
#include "index/repeated_keys.h"

namespace sheaf::internal {

/// Reads everything from the index file, or scans the data forward, only as far as callers ask. So
/// a run in file order can begin with the first chunk. Tables beyond the memory limit are dropped.
/// They are read or scanned again when a caller asks for them. So are notes if there is an index
/// file.
///
/// Threads: as Index. A call for a known chunk does not wait for a scan.
class GrowingIndex : public Index {
 public:
  /// `may_repeat_keys` says whether to look for repeated keys.
  ///
  /// Throws: ConfigError if an index file is required and none fits.
  GrowingIndex(std::shared_ptr<const ChunkFinder> finder, IndexFileKeeper::Parts file,
               bool may_repeat_keys);
  ~GrowingIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Scans the rest of the data with the threads of `executor`, if that is worth it. Chunks known
  /// so far stay. `sink` may be null. Calls `sink` for each chunk that the scan finds, in order,
  /// from one thread at a time. Estimates the number of chunks from the sizes. If the sink wants
  /// data of that many chunks, gives it all sequences, and otherwise none.
  ///
  /// Throws: as chunk(); the exceptions of `sink`. The call can be repeated.
  void build(Executor& executor, DecodedSink* sink) const;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkNotes> notes(ChunkIndex chunk) const;

  /// Removes the index file because it turned out not to fit the data. A required file stays.
  void forget_file() const noexcept { file_.forget(); }

  /// Returns whether answers come from an index file.
  [[nodiscard]] bool has_file() const noexcept { return file_.file() != nullptr; }

  /// Does the same as Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  /// The data of a known chunk that are in memory.
  struct Held {
    std::shared_ptr<const SequenceTable> sequences;  // null if dropped
    ChunkInfo info;
    std::int64_t sequences_before = 0;
  };

  void begin_scan() const;
  void begin_scan_once() const;
  void begin_scan_anew() const noexcept;
  [[nodiscard]] std::int64_t stored_size_of(const ChunkInfo& info) const noexcept;
  [[nodiscard]] bool scan_on() const;
  [[nodiscard]] bool can_scan_all(int thread_count) const;
  [[nodiscard]] bool finds_again() const;
  void scan_all(Executor& executor, DecodedSink* sink) const;
  void add_scanned(ScannedChunk scanned) const;
  [[nodiscard]] bool finds_again(std::int64_t number, const ScannedChunk& scanned) const;
  void finish_scan() const;
  void add_late_answers() const;
  [[nodiscard]] bool has_repeated_keys(ChunkIndex chunk) const;
  [[nodiscard]] std::vector<Diagnostic> scan_warnings() const;
  void set_warnings(std::vector<Diagnostic> warnings) const;
  [[nodiscard]] std::optional<ChunkInfo> find(ChunkIndex chunk) const;
  [[nodiscard]] std::optional<Held> held(std::int64_t chunk) const;
  [[nodiscard]] std::shared_ptr<const SequenceTable> table_of(std::int64_t chunk, Held held) const;
  [[nodiscard]] TableAndNotes from_file(std::int64_t chunk) const;

  const std::shared_ptr<const ChunkFinder> finder_;
  const bool may_repeat_keys_;
  mutable IndexFileKeeper file_;  // functions that write need scan_mutex_

  // Order of locking: scan_mutex_ before mutex_.
  mutable std::mutex scan_mutex_;
  mutable bool has_begun_ = false;            // under scan_mutex_, as the members below
  mutable std::unique_ptr<Scanner> scanner_;  // null when the scan has ended
  mutable RepeatedKeys keys_;
  mutable std::exception_ptr scan_error_;
  mutable std::int64_t scanned_count_ = 0;  // number of chunks that this scan found

  mutable std::mutex mutex_;
  mutable KnownChunks chunks_;           // found by the scan; under mutex_, as the members below
  mutable std::int64_t told_count_ = 0;  // chunks told to callers: their repeated keys are known
  mutable RecentTables tables_;
  mutable std::int64_t key_bytes_ = 0;        // memory of the keys seen
  mutable std::int64_t scan_bytes_ = 0;       // memory that a scan may take
  mutable std::vector<Diagnostic> warnings_;  // of the scan
};

}  // namespace sheaf::internal
