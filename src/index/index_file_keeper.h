// Uses, refuses, writes or removes the index file of one data set.

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

/// Returns the path of the index file of a source, or an empty text if it can have none.
[[nodiscard]] std::string path_of_index_file(const ByteSource& source, const IndexOptions& options);

/// Follows IndexOptions::mode for one source. Keeps the warnings about the index file.
///
/// Threads: file(), read(), forget() and the warnings are safe from any number of threads. The
///          other functions are for one thread at a time, the one that scans.
class IndexFileKeeper {
 public:
  /// Data of at least this size get an index file by default.
  static constexpr std::int64_t kWriteMinBytes = std::int64_t{16} << 20;

  struct Parts {
    std::shared_ptr<const ByteSource> source;
    FileSystem* files = nullptr;  // file system of the index file; not null
    IndexOptions options;
    IndexIdentity identity;
    std::string_view warning_code;  // of all warnings about the index file
    // Smaller data get an index file only if asked for.
    std::int64_t write_min_bytes = kWriteMinBytes;
  };

  /// Returns why a file with the right identity cannot belong to these data, or an empty text if
  /// the file can be used.
  using FaultOf = std::function<std::string(const IndexFile&)>;

  explicit IndexFileKeeper(Parts parts);
  ~IndexFileKeeper();

  /// Opens the index file if the options say so. Must be called once, before all other functions.
  ///
  /// Throws: ConfigError if an index file is required and none fits.
  void open(const FaultOf& fault_of);

  [[nodiscard]] const ByteSource& source() const noexcept { return *parts_.source; }
  [[nodiscard]] const IndexOptions& options() const noexcept { return parts_.options; }

  /// Returns the file in use, or null if the data must be scanned.
  [[nodiscard]] const IndexFile* file() const noexcept { return file_.get(); }

  /// Reads a chunk of the file in use. `fits` returns whether the record makes sense. If not, the
  /// file is forgotten.
  ///
  /// Pre:    there is a file, and 0 <= chunk < its chunk_count().
  /// Throws: IoError.
  [[nodiscard]] IndexRecord read(std::int64_t chunk,
                                 const std::function<bool(const IndexRecord&)>& fits) const;

  /// Removes the file in use because it turned out not to fit the data. A required file stays.
  void forget() const noexcept;

  /// Replaces the notes of the file in use. Does nothing unless the mode is `automatic`.
  void replace_notes(std::string_view notes);

  /// Drops the part of the file that was written so far.
  void stop_writing() noexcept { writer_.reset(); }

  /// Begins to write the file if the options ask for one. Drops the part written so far.
  ///
  /// If the file cannot be written, here or in the functions below, this becomes a warning, since
  /// the data can be read without it.
  void begin_writing();
  [[nodiscard]] bool is_writing() const noexcept { return writer_ != nullptr; }

  /// Write the next chunk, and end the file. They do nothing if no file is being written.
  void add(const IndexRecord& record);
  void finish_writing(std::string_view notes);

  /// Returns why the file was not used, if so.
  [[nodiscard]] const std::optional<Diagnostic>& use_warning() const noexcept {
    return use_warning_;
  }

  /// Returns why the file was not written, if so.
  [[nodiscard]] std::optional<Diagnostic> write_warning() const;

  /// Returns how much memory the file in use takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] bool use(const FaultOf& fault_of, std::string& why);
  void stop_writing(const std::string& why);
  [[nodiscard]] Diagnostic warning(std::string_view expected, std::string found,
                                   std::string hint) const;

  const Parts parts_;
  const std::string path_;  // empty: no index file
  std::unique_ptr<IndexFile> file_;
  bool writes_ = false;
  std::unique_ptr<IndexFileWriter> writer_;
  std::optional<Diagnostic> use_warning_;

  mutable std::mutex mutex_;
  std::optional<Diagnostic> write_warning_;  // under the mutex
};

}  // namespace sheaf::internal
