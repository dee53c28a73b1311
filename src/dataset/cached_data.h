/// \file
/// Data with a cache of decoded units in a folder.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

#include "dataset/cache_findings.h"
#include "dataset/cache_trial.h"
#include "dataset/cached_index.h"
#include "dataset/memory_share.h"
#include "dataset/source_stamp.h"
#include "dataset/unit_bytes.h"
#include "dataset/unit_files.h"

namespace sheaf::internal {

/// The parameters of a cache, besides the user's options.
struct CacheSetup {
  CacheOptions options = {};
  const Format* format = nullptr;  // of the units
  FileSystem* files = nullptr;     // of the cache

  /// The memory that the cache may use besides the run: an eighth of the run's limit. Empty means
  /// no limit.
  std::optional<std::int64_t> memory_bytes = {};

  /// Returns source_stamp() of the data. Called at most once.
  std::function<std::optional<std::string>()> stamp = {};

  std::int64_t trial_unit_count = 8;  // at least; 0: use the cache without a trial
};

/// Reads sequences from the cache if it has them. Otherwise reads them from the data, and writes
/// them to the cache.
///
/// The name of a unit in the cache is a hash of everything that its sequences depend on: the
/// fingerprint of the data, the times at which its files were changed, the streams, the offset of
/// the chunk, the numbers of the sequences, and the version of the library. The times stand for the
/// content. A hash of the content would require reading the files, which the cache is there to
/// avoid.
///
/// Streams that describe others have no cache: warnings() says so.
///
/// A part of a unit, such as a single sequence, comes from the file of its unit. If there is no
/// such file, the whole unit is decoded and written, so that later parts find the file. This
/// happens at most once for each unit, so that parts never cost much more than without a cache.
///
/// Units with errors or warnings are never kept, since their messages come from the data. Problems
/// with the cache only cost time, and warnings() reports them.
class CachedData final : public Deserializer {
 public:
  /// Throws: ConfigError if the folder is a file, or if the streams cannot be kept.
  CachedData(std::shared_ptr<const Deserializer> source, CacheSetup setup);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override {
    return source_->streams();
  }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return source_->fingerprint(); }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;
  [[nodiscard]] Diagnostic location_of(ChunkIndex chunk, std::int64_t sequence,
                                       std::int64_t stream) const override {
    return source_->location_of(chunk, sequence, stream);
  }
  [[nodiscard]] bool has_fast_random_access() const noexcept override {
    return source_->has_fast_random_access();
  }
  void build_index(Executor& executor, DecodedSink* sink) const override;
  void visit_named_files(const std::function<void(const std::string& path)>& visit) const override {
    source_->visit_named_files(visit);
  }
  [[nodiscard]] std::vector<StorageNote> storage() const override { return source_->storage(); }
  [[nodiscard]] CacheCounts cache_counts() const override;
  [[nodiscard]] std::vector<Diagnostic> warnings() const override;

 private:
  /// Sequences of one unit.
  struct Piece {
    ChunkRange range = {};
    ChunkRange unit = {};
    SequenceKey name = {};           // of the unit
    std::int64_t source_bytes = 0;   // of the unit
    std::int64_t decoded_bytes = 0;  // of the unit, approximate
    bool is_cached = false;          // whether the cache is used for the piece

    [[nodiscard]] bool is_part() const noexcept { return range.count < unit.count; }
  };

  /// Consecutive sequences of a chunk that was read.
  struct Part {
    const Chunk* chunk = nullptr;
    std::int64_t first = 0;  // number within `chunk`
    std::int64_t count = 0;
  };

  /// Whether the cache is worth it, for reads of one kind.
  struct Use {
    Use(std::int64_t unit_count_min, std::int64_t source_bytes_min)
        : trial(unit_count_min, source_bytes_min) {}

    CacheTrial trial;
    std::atomic<bool> is_on = true;
    std::vector<SequenceKey> written;  // units written during the trial; under the mutex
  };

  [[nodiscard]] std::vector<Piece> pieces_of(const ChunkRange& range) const;
  [[nodiscard]] std::optional<SequenceKey> name_of(const ChunkInfo& chunk,
                                                   const ChunkRange& range) const;
  [[nodiscard]] const std::optional<std::string>& stamp() const;
  [[nodiscard]] std::optional<Chunk> kept(const Piece& piece) const;
  [[nodiscard]] std::optional<Chunk> read_file(const Piece& piece) const;
  [[nodiscard]] std::optional<Chunk> part_of_unit(const Piece& piece) const;
  [[nodiscard]] std::optional<Chunk> whole_unit(const Piece& piece) const;
  [[nodiscard]] Chunk decoded(std::span<const Piece> pieces, Diagnostics& diagnostics) const;
  void keep_decoded(const Piece& piece, const Chunk& chunk, std::int64_t first) const;
  [[nodiscard]] bool keep(const Piece& piece, const Chunk& chunk, std::int64_t first) const;
  [[nodiscard]] bool note_written(const Piece& piece) const;
  void judge(const Piece& piece) const;
  [[nodiscard]] std::optional<double> time_source(const Piece& piece) const;
  void give_up(Use& use, const CacheTrial::Times& times, bool is_of_parts) const;
  [[nodiscard]] std::optional<MemoryShare::Part> memory_for(std::int64_t bytes) const;
  [[nodiscard]] bool is_first_part(const Piece& piece) const;
  [[nodiscard]] Use& use_of(const Piece& piece) const noexcept {
    return piece.is_part() ? parts_ : units_;
  }
  [[nodiscard]] Chunk joined(std::span<const Part> parts) const;

  const std::shared_ptr<const Deserializer> source_;
  const CacheSetup setup_;
  const CachedIndex index_;
  std::optional<UnitBytes> bytes_;  // if the cache is used
  const std::string identity_;      // of the data and their streams
  mutable UnitFiles files_;
  mutable MemoryShare memory_;
  mutable Use units_;  // reads of whole units
  mutable Use parts_;  // reads of parts of units
  mutable CacheFindings findings_;
  mutable std::mutex mutex_;

  // Low halves of the names of units that a thread began to decode for a part. If such a unit has
  // no file, its parts are read from the data: the unit cannot be kept, another thread is decoding
  // it, or another process has removed the file and would remove the next one. Under the mutex.
  mutable std::unordered_set<std::uint64_t> begun_;
  mutable std::once_flag stamp_once_;
  mutable std::optional<std::string> stamp_;
  mutable std::atomic<bool> is_written_ = true;
  mutable std::atomic<std::int64_t> hits_ = 0;
  mutable std::atomic<std::int64_t> misses_ = 0;
};

/// Returns data with a cache, or `data` itself if `options` name no folder.
///
/// Lifetime: `files` must outlive the result.
/// Throws:   ConfigError for a limit without a folder or below 1; and as CachedData.
[[nodiscard]] std::shared_ptr<const Deserializer> with_cache(
    std::shared_ptr<const Deserializer> data, const DataSpec& spec, const CacheOptions& options,
    FileSystem& files, std::optional<std::int64_t> memory_limit_bytes);

}  // namespace sheaf::internal
