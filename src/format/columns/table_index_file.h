// The lengths of a table's rows, kept in an index file.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"

#include "index/index_file_keeper.h"

namespace sheaf::columns {

/// Returns the identity of a table's content for its index file.
[[nodiscard]] Fingerprint content_of(const ArrowBatches& table);

/// Begins the options of an index file with notes about the classes of columns.
inline constexpr std::string_view kOptionsWithClasses = "table 2:";

/// Reads or writes the index file of a table. The index file belongs to the whole table, which may
/// have several files.
///
/// Threads: all calls are safe from any number of threads.
class TableIndexFile {
 public:
  /// Records wait for the records before them, which other threads read. If more records wait, some
  /// chunk is never read, and no index file is written.
  static constexpr std::size_t kWaitingMax = 1 << 10;

  struct Parts {
    const ArrowBatches* batches = nullptr;  // not null
    IndexOptions options = {};
    Context context = {};
    std::string identity = {};                  // the options that change lengths, keys or chunks
    std::vector<std::int64_t> row_counts = {};  // of each chunk
    bool has_row_numbers = false;               // whether keys are the numbers of rows
    std::string class_notes = {};               // notes_of_classes(); empty: no column of classes
  };

  /// Opens the index file if the options ask for that.
  ///
  /// Throws: ConfigError if an index file is required and none fits.
  explicit TableIndexFile(Parts parts);

  /// Returns whether answers come from an index file.
  [[nodiscard]] bool is_used() const noexcept { return keeper_.file() != nullptr; }

  /// Reads the lengths of a chunk.
  ///
  /// Pre:    is_used(), and the chunk exists.
  /// Throws: IoError if the record is damaged. The file is then removed.
  [[nodiscard]] internal::IndexRecord read(std::int64_t chunk) const;

  /// Takes the lengths of a chunk for the file that the options ask for. The file is complete once
  /// all chunks are added. A chunk may be added again.
  void add(std::int64_t chunk, internal::IndexRecord record);

  /// Returns why the index file was not used, or not written.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return keeper_.memory_bytes(); }

 private:
  [[nodiscard]] std::string fault_of(const internal::IndexFile& file) const;
  [[nodiscard]] bool fits(std::int64_t chunk, const internal::IndexRecord& record) const;

  const std::vector<std::int64_t> row_counts_;
  const std::vector<std::int64_t> first_rows_;  // number of the first row of each chunk
  const bool has_row_numbers_;
  const std::string class_notes_;
  internal::IndexFileKeeper keeper_;

  std::mutex mutex_;
  std::map<std::int64_t, internal::IndexRecord> waiting_;  // under the mutex, as the next
  std::int64_t next_ = 0;                                  // next chunk to write
  bool is_over_ = false;                                   // nothing more will be written
};

}  // namespace sheaf::columns
