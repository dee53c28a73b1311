// The index of a text: from its index file, or found chunk by chunk by a scanner.

#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/index_file.h"

#include "format/text/block_scan.h"
#include "format/text/scan_notes.h"
#include "format/text/scanned_chunk.h"
#include "index/index_file.h"
#include "index/key_check.h"

namespace sheaf::internal {

/// Where a sequence begins.
struct SequencePlace {
  std::int64_t line = 0;
  std::int64_t offset = 0;  // in the source
};

/// Scans the file forward, as far as it is asked about; file order thus begins with the first
/// chunk. Or takes all from the index file. Tables beyond the memory limit are dropped, as are
/// notes that the index file has, and read or scanned again when they are asked for.
///
/// Threads: as Index. A chunk that is known is told without waiting for a scan.
class ScannedIndex : public Index {
 public:
  /// Files of at least so many bytes get an index file without being asked.
  static constexpr std::int64_t kWriteMinBytes = std::int64_t{16} << 20;

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
    IndexOptions options;
    FileSystem* files = nullptr;  // that the index file lies in; not null
    IndexIdentity identity;
    std::optional<FoundStreams> found;  // kept in the index file, where streams had to be found
    std::string_view warning_code;      // of warnings about the index file
  };

  /// Throws: ConfigError where an index file is required and there is none that fits.
  explicit ScannedIndex(Parts parts);
  ~ScannedIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// The cost of a sequence is its bytes of text.
  [[nodiscard]] CostMeasure cost_measure() const override { return {.name = "bytes"}; }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override;

  /// As Deserializer::build_index().
  void build(Executor& executor, DecodedSink* sink) const;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkNotes> notes(ChunkIndex chunk) const;

  /// Where the first sequence with this key is.
  ///
  /// Pre: there is one.
  [[nodiscard]] SequencePlace first_place(const SequenceKey& key) const;

  /// Note that the index file does not fit the data after all: it is removed, unless required.
  void forget_file() const noexcept;

  /// Whether what is told comes from an index file.
  [[nodiscard]] bool has_file() const noexcept { return file_ != nullptr; }

  /// As Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  /// As FoundInside::found().
  [[nodiscard]] const std::optional<FoundStreams>& found() const noexcept { return parts_.found; }

 private:
  struct Entry {
    ChunkInfo info;
    std::shared_ptr<const ChunkNotes> notes;         // null: in the index file, or not known yet
    std::shared_ptr<const SequenceTable> sequences;  // null: dropped
    std::uint64_t last_use = 0;
  };

  void begin_scan() const;
  void begin_scan_once() const;
  void begin_scan_anew() const noexcept;
  void begin_file() const;
  void open_file();
  [[nodiscard]] bool use_file(std::string& why);
  [[nodiscard]] std::string fault_of_file() const;
  void add_found_to_file(FileNotes notes);
  void add_note(std::string found, std::string hint);
  [[nodiscard]] bool scan_on() const;
  [[nodiscard]] bool can_scan_blocks(int thread_count) const;
  [[nodiscard]] bool finds_again() const;
  void scan_blocks(Executor& executor, DecodedSink* sink) const;
  void add_scanned(ScannedChunk scanned) const;
  [[nodiscard]] bool has_repeated_keys(ChunkIndex chunk) const;
  [[nodiscard]] std::vector<Diagnostic> scan_warnings() const;
  void set_warnings(std::vector<Diagnostic> warnings) const;
  void finish_scan() const;
  void write(const Entry& entry) const;
  void stop_writing(const std::string& why) const;
  [[nodiscard]] std::optional<ChunkInfo> find(ChunkIndex chunk) const;
  [[nodiscard]] Entry entry_of_file(std::int64_t chunk) const;
  [[nodiscard]] std::shared_ptr<const SequenceTable> scan_again(std::int64_t chunk,
                                                                const ChunkInfo& info) const;
  [[nodiscard]] Entry held_entry(std::size_t chunk) const;
  [[nodiscard]] Entry entry(ChunkIndex chunk) const;
  [[nodiscard]] Entry keep(std::size_t chunk, Entry found) const;
  void set_notes(Entry& entry, std::shared_ptr<const ChunkNotes> notes) const;
  [[nodiscard]] std::int64_t unused_bytes(const Entry& entry) const noexcept;
  void drop_tables() const;

  [[nodiscard]] Diagnostic note_of_file(std::string_view expected) const;

  const Parts parts_;
  const std::string file_path_;      // empty: nowhere
  std::unique_ptr<IndexFile> file_;  // null: none in use
  bool writes_file_ = false;

  // Order of locking: scan_mutex_, then entries_mutex_.
  mutable std::mutex scan_mutex_;
  mutable bool has_begun_ = false;               // under scan_mutex_
  mutable std::unique_ptr<Scanner> scanner_;     // under scan_mutex_; gone when the file is through
  mutable std::unique_ptr<KeyCheck> key_check_;  // under scan_mutex_
  mutable std::unique_ptr<IndexFileWriter> writer_;  // under scan_mutex_
  mutable std::exception_ptr scan_error_;            // under scan_mutex_
  mutable std::int64_t scanned_count_ = 0;           // under scan_mutex_: chunks of this scan
  mutable std::int64_t unchecked_ = -1;  // under scan_mutex_: first chunk whose repeated keys are
                                         // known when the scan is through; -1: none

  mutable std::mutex entries_mutex_;
  mutable std::deque<Entry> entries_;     // under entries_mutex_, here and below
  mutable std::int64_t known_count_ = 0;  // chunks that may be told of
  mutable std::int64_t table_bytes_ = 0;  // that can be dropped: tables, notes of the index file
  mutable std::int64_t other_bytes_ = 0;  // entries, notes of the scan, index file
  mutable std::int64_t key_bytes_ = 0;    // keys seen
  mutable std::int64_t row_bytes_ = 0;    // that a row to be scanned may take
  mutable std::uint64_t use_count_ = 0;
  mutable std::vector<Diagnostic> warnings_;  // of the scan
  std::vector<Diagnostic> file_warnings_;     // about the index file
  mutable std::optional<Diagnostic> write_warning_;
};

/// The streams of a source whose fingerprint is `data`, looked for as `how` says: from the index
/// file where it says, so that the data are not read for it again; else what `find` gives.
///
/// Throws: ConfigError where an index file is required and does not say; what `find` throws.
[[nodiscard]] FoundStreams recall_or_find_streams(const ByteSource& source, const Fingerprint& data,
                                                  const IndexOptions& options, FileSystem& files,
                                                  std::string_view how,
                                                  const std::function<FoundStreams()>& find);

/// Throws: IoError that says that the source is no longer what was indexed, near this line.
[[noreturn]] void throw_changed_since_indexed(std::string_view name, std::int64_t line);

}  // namespace sheaf::internal
