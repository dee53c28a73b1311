// An index that becomes known chunk by chunk: from its index file, or by a scan.

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

/// Scans the data forward, as far as somebody asks: a run in file order begins with the first
/// chunk. Or reads everything from the index file. Tables beyond the memory limit are dropped, and
/// read or scanned again when somebody asks for them; so are notes that the index file has.
///
/// Threads: as Index. A call for a known chunk does not wait for a scan.
class GrowingIndex : public Index {
 public:
  /// `may_repeat_keys`: repeated keys are to be found.
  ///
  /// Throws: ConfigError where an index file is required and there is none that fits.
  GrowingIndex(std::shared_ptr<const ChunkFinder> finder, IndexFileKeeper::Parts file,
               bool may_repeat_keys);
  ~GrowingIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Scans the rest of the data with the threads of `executor`, where that is worth it. What is
  /// known so far stays. Tells `sink`, which may be null, each chunk that the scan finds, in order,
  /// from one thread at a time. Gives the sink all sequences if the sink wants data of so many
  /// chunks, as estimated from the sizes; otherwise none.
  ///
  /// Throws: as chunk(); what `sink` throws. The call can be repeated.
  void build(Executor& executor, DecodedSink* sink) const;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkNotes> notes(ChunkIndex chunk) const;

  /// Removes the index file, which does not fit the data after all. A required file stays.
  void forget_file() const noexcept { file_.forget(); }

  /// Returns whether answers come from an index file.
  [[nodiscard]] bool has_file() const noexcept { return file_.file() != nullptr; }

  /// As Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  /// What is in memory of a known chunk.
  struct Held {
    std::shared_ptr<const SequenceTable> sequences;  // null: dropped
    ChunkInfo info;
    std::int64_t sequences_before = 0;
  };

  void begin_scan() const;
  void begin_scan_once() const;
  void begin_scan_anew() const noexcept;
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
  mutable IndexFileKeeper file_;  // what writes is under scan_mutex_

  // Order of locking: scan_mutex_, then mutex_.
  mutable std::mutex scan_mutex_;
  mutable bool has_begun_ = false;            // under scan_mutex_, here and below
  mutable std::unique_ptr<Scanner> scanner_;  // null when the scan is through
  mutable RepeatedKeys keys_;
  mutable std::exception_ptr scan_error_;
  mutable std::int64_t scanned_count_ = 0;  // chunks of this scan

  mutable std::mutex mutex_;
  mutable KnownChunks chunks_;           // found by the scan; under mutex_, here and below
  mutable std::int64_t told_count_ = 0;  // chunks of those whose repeated keys are known
  mutable RecentTables tables_;
  mutable std::int64_t key_bytes_ = 0;        // of keys seen
  mutable std::int64_t scan_bytes_ = 0;       // that a scan may take
  mutable std::vector<Diagnostic> warnings_;  // of the scan
};

}  // namespace sheaf::internal
