// The index of a CTF file: from its index file, or found chunk by chunk.

#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/format.h"
#include "sheaf/index.h"

#include "format/ctf/ctf_index_record.h"
#include "format/ctf/ctf_infer.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_scanner.h"
#include "format/ctf/ctf_schema.h"
#include "index/index_file.h"
#include "index/key_check.h"

namespace sheaf::ctf {

/// Where a key is first.
struct FirstPlace {
  std::int64_t line = 0;
  std::string text;  // the id there; empty where keys are numbers
};

/// Scans the file forward, as far as it is asked about; file order thus begins with the first
/// chunk. Or takes all from the index file. Tables beyond the memory limit are dropped, and read
/// or scanned again when they are asked for.
///
/// Threads: as Index. A chunk that is known is told without waiting for a scan.
class CtfIndex final : public Index {
 public:
  /// Files of at least so many bytes get an index file without being asked.
  static constexpr std::int64_t kWriteMinBytes = std::int64_t{16} << 20;

  /// `found`, where streams had to be found, is kept in the index file.
  ///
  /// Lifetime: `schema` must outlive the index.
  /// Throws: ConfigError where an index file is required and there is none that fits.
  CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
           const Beginning& beginning, const IndexOptions& options,
           const internal::IndexIdentity& identity, std::optional<FoundStreams> found = {});
  ~CtfIndex() override;

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Pre: the chunk exists.
  [[nodiscard]] std::shared_ptr<const ChunkNotes> notes(ChunkIndex chunk) const;

  /// Where the first sequence with this key is.
  ///
  /// Pre: there is one.
  [[nodiscard]] FirstPlace first_place(const SequenceKey& key) const;

  /// Note that the index file does not fit the data after all: it is removed, unless required.
  void forget_file() const noexcept;

  /// As Deserializer::warnings().
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  struct Entry {
    ChunkInfo info;
    std::shared_ptr<const ChunkNotes> notes;         // null: in the index file
    std::shared_ptr<const SequenceTable> sequences;  // null: dropped
    std::uint64_t last_use = 0;
  };

  void open_file(const internal::IndexIdentity& identity);
  [[nodiscard]] bool use_file(const internal::IndexIdentity& identity, std::string& why);
  void add_found_to_file(FileNotes notes);
  void add_note(std::string found, std::string hint);
  [[nodiscard]] bool scan_on() const;
  void add_scanned(ScannedChunk scanned) const;
  void finish_scan() const;
  void write(const Entry& entry) const;
  void stop_writing(const std::string& why) const;
  [[nodiscard]] std::optional<ChunkInfo> find(ChunkIndex chunk) const;
  [[nodiscard]] internal::IndexRecord record_of_file(std::int64_t chunk) const;
  [[nodiscard]] Entry load(std::int64_t chunk) const;
  [[nodiscard]] Entry entry(ChunkIndex chunk) const;
  void drop_tables() const;

  const std::shared_ptr<const ByteSource> source_;
  const Schema& schema_;
  const KeyMode mode_;
  const IndexOptions options_;
  const std::optional<FoundStreams> found_;
  const std::string file_path_;                // empty: nowhere
  std::unique_ptr<internal::IndexFile> file_;  // null: none in use

  // Order of locking: scan_mutex_, then entries_mutex_.
  mutable std::mutex scan_mutex_;
  mutable std::unique_ptr<Scanner> scanner_;  // under scan_mutex_; gone when the file is through
  mutable std::unique_ptr<internal::KeyCheck> key_check_;      // under scan_mutex_
  mutable std::unique_ptr<internal::IndexFileWriter> writer_;  // under scan_mutex_
  mutable std::exception_ptr scan_error_;                      // under scan_mutex_
  mutable std::int64_t unchecked_ = -1;  // under scan_mutex_: first chunk whose repeated keys are
                                         // known when the scan is through; -1: none

  mutable std::mutex entries_mutex_;
  mutable std::deque<Entry> entries_;     // under entries_mutex_, here and below
  mutable std::int64_t known_count_ = 0;  // chunks that may be told of
  mutable std::int64_t table_bytes_ = 0;  // of the entries
  mutable std::int64_t other_bytes_ = 0;  // entries, notes, index file
  mutable std::int64_t key_bytes_ = 0;    // keys seen
  mutable std::uint64_t use_count_ = 0;
  mutable std::vector<Diagnostic> warnings_;  // of the scan
  std::vector<Diagnostic> file_warnings_;     // about the index file
  mutable std::optional<Diagnostic> write_warning_;
};

/// What the index file says about the streams in the data, whose fingerprint is `data`. Nothing,
/// and the reason in `why`, where there is no such file, or it is of other data, or does not say
/// this of data read as `options` want.
[[nodiscard]] std::optional<FoundStreams> found_in_index_file(const ByteSource& source,
                                                              const Fingerprint& data,
                                                              const FormatOptions& options,
                                                              std::string& why);

}  // namespace sheaf::ctf
