// Keeps the index of a data set in a file.
//
// docs/formats/index-file.md has the layout, byte by byte.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/index_file.h"

namespace sheaf::internal {

/// Returns whether a path is one that index_file_path() returns.
[[nodiscard]] bool is_index_path(std::string_view path) noexcept;

/// One of several sources that hold the sequences.
struct IndexedSource {
  std::string name;
  Fingerprint data;
  std::int64_t modified_ns = 0;  // as IndexIdentity::modified_ns
};

/// Identifies the data and options that an index file was made from. A file of another identity is
/// not used.
struct IndexIdentity {
  std::string options;           // the format, and every option that changes the index
  Fingerprint data;              // of the indexed file
  std::int64_t modified_ns = 0;  // time of the last change; for people, not compared

  // The sources, if the data have several. Tables refer to them by number (SourceLocation::source).
  // `data` is then the file that lists the sources.
  std::vector<IndexedSource> sources{};

  /// Returns why an index file of this identity cannot serve as one of `wanted`, as text for a
  /// note. Returns an empty text if it can.
  [[nodiscard]] std::string difference(const IndexIdentity& wanted) const;
};

/// The complete record of one chunk. `extra` belongs to the format.
struct IndexRecord {
  ChunkInfo info;
  std::shared_ptr<const SequenceTable> sequences;
  std::vector<std::int64_t> extra;
};

/// Writes an index file chunk by chunk. The file exists once finish() returns, and not before: it
/// is written under a temporary name, synced and renamed. Several writers at the same time do no
/// harm. The bytes depend on the arguments only. The writer replaces index files, but no other
/// files.
///
/// Throws: all calls throw IoError with the path and the reason.
/// Cost:   memory of 72 bytes for each chunk, and of the current block.
class IndexFileWriter {
 public:
  /// Begins a file. A reader of the file gets `access_points` from IndexFile::access_points(). A
  /// file with access points has version 2, a file with sources version 3, and any other file
  /// version 1.
  ///
  /// Pre: there are no access points, or no sources.
  IndexFileWriter(FileSystem& files, const std::string& path, IndexIdentity identity,
                  std::string access_points = {});
  IndexFileWriter(const IndexFileWriter&) = delete;
  IndexFileWriter& operator=(const IndexFileWriter&) = delete;
  ~IndexFileWriter();  // removes an unfinished file

  /// Adds the next chunk.
  ///
  /// Pre: record.sequences has info.sequence_count sequences.
  void add(const IndexRecord& record);

  /// Ends the file. `notes` is a text of the format, which IndexFile::notes() returns. No call may
  /// follow.
  void finish(std::string_view notes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A finished index file. Keeps everything in memory except the sequence tables. These are read
/// when a caller asks for them, so all readers on a machine share them in the system's cache.
///
/// Cost: memory of 20 to 35 bytes for each chunk.
/// Threads: all calls are safe from any number of threads.
class IndexFile {
 public:
  /// Opens a file. Returns nothing, and sets `why`, if there is no such file, or if it is damaged,
  /// has another version, or was made from something else. `why` begins with the path. Otherwise
  /// `why` is unchanged.
  [[nodiscard]] static std::unique_ptr<IndexFile> open(FileSystem& files, const std::string& path,
                                                       const IndexIdentity& wanted,
                                                       std::string& why);

  /// Does the same for a file of any identity; see identity().
  [[nodiscard]] static std::unique_ptr<IndexFile> open(FileSystem& files, const std::string& path,
                                                       std::string& why);

  IndexFile(const IndexFile&) = delete;
  IndexFile& operator=(const IndexFile&) = delete;
  ~IndexFile();

  /// Returns the identity of the data that the file was made from.
  [[nodiscard]] const IndexIdentity& identity() const noexcept;

  [[nodiscard]] std::int64_t chunk_count() const noexcept;

  /// Pre: 0 <= chunk < chunk_count(), also for the functions below.
  [[nodiscard]] ChunkInfo info(std::int64_t chunk) const noexcept;

  /// Reads the table and the extra numbers of a chunk.
  ///
  /// Throws: IoError, also if the checksum is wrong, or if a sequence lies outside of its source.
  [[nodiscard]] IndexRecord record(std::int64_t chunk) const;

  [[nodiscard]] std::string_view notes() const noexcept;

  /// Reads the text that ByteSource::access_points() of the data returned. Empty if the file has
  /// none.
  ///
  /// Throws: IoError, also if the checksum is wrong.
  [[nodiscard]] std::string access_points() const;

  /// Returns how much memory the object takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct State;
  explicit IndexFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
