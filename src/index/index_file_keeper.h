// What is done about the index file of one data set: use the file, refuse it, write it or remove
// it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index_file.h"

#include "index/index_file.h"

namespace sheaf::internal {

/// Returns where the index file of a source lies; an empty text where it can have none.
[[nodiscard]] std::string path_of_index_file(const ByteSource& source, const IndexOptions& options);

/// Follows IndexOptions::mode for one source. Keeps the warnings about the index file.
///
/// Threads: file(), read(), forget() and warnings are safe from any number of threads. The others
///          are for one thread at a time: the one that scans.
class IndexFileKeeper {
 public:
  /// Data of at least so many bytes get an index file without being asked.
  static constexpr std::int64_t kWriteMinBytes = std::int64_t{16} << 20;

  struct Parts {
    std::shared_ptr<const ByteSource> source;
    FileSystem* files = nullptr;  // that the index file lies in; not null
    IndexOptions options;
    IndexIdentity identity;
    std::string_view warning_code;                  // of warnings about the index file
    std::int64_t write_min_bytes = kWriteMinBytes;  // smaller data have none unless asked for
  };

  /// Returns why a file with the right identity cannot be of these data; an empty text where the
  /// file can be used.
  using FaultOf = std::function<std::string(const IndexFile&)>;

  explicit IndexFileKeeper(Parts parts);
  ~IndexFileKeeper();

  /// Opens the index file where the options say so. Called once, before all other functions.
  ///
  /// Throws: ConfigError where an index file is required and there is none that fits.
  void open(const FaultOf& fault_of);

  [[nodiscard]] const ByteSource& source() const noexcept { return *parts_.source; }
  [[nodiscard]] const IndexOptions& options() const noexcept { return parts_.options; }

  /// The file in use; null where the data are to be scanned.
  [[nodiscard]] const IndexFile* file() const noexcept { return file_.get(); }

  /// Reads a chunk of the file in use. `fits` returns whether the record makes sense. A file with a
  /// record that does not is forgotten.
  ///
  /// Pre:    there is a file, and 0 <= chunk < its chunk_count().
  /// Throws: IoError.
  [[nodiscard]] IndexRecord read(std::int64_t chunk,
                                 const std::function<bool(const IndexRecord&)>& fits) const;

  /// Removes the file in use, which does not fit the data after all. A required file stays.
  void forget() const noexcept;

  /// Gives the file in use other notes. Does so in the mode `automatic` alone.
  void replace_notes(std::string_view notes);

  /// Drops what was written of the file so far.
  void stop_writing() noexcept { writer_.reset(); }

  /// Begins to write the file, where the options ask for one. What was written so far is dropped.
  ///
  /// A file that cannot be written is a warning, here and below: the data can be read without it.
  void begin_writing();
  [[nodiscard]] bool is_writing() const noexcept { return writer_ != nullptr; }

  /// Writes the next chunk, or does nothing where no file is being written; and so below.
  void add(const IndexRecord& record);
  void finish_writing(std::string_view notes);

  /// Returns why the file was not used.
  [[nodiscard]] const std::optional<Diagnostic>& use_warning() const noexcept {
    return use_warning_;
  }

  /// Returns why the file was not written.
  [[nodiscard]] std::optional<Diagnostic> write_warning() const;

  /// Returns how much memory the file in use takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] bool use(const FaultOf& fault_of, std::string& why);
  void stop_writing(const std::string& why);
  [[nodiscard]] Diagnostic warning(std::string_view expected, std::string found,
                                   std::string hint) const;

  const Parts parts_;
  const std::string path_;  // empty: nowhere
  std::unique_ptr<IndexFile> file_;
  bool writes_ = false;
  std::unique_ptr<IndexFileWriter> writer_;
  std::optional<Diagnostic> use_warning_;

  mutable std::mutex mutex_;
  std::optional<Diagnostic> write_warning_;  // under the mutex
};

}  // namespace sheaf::internal
