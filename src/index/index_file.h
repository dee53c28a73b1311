// The index of a data set, kept in a file.
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

/// One of several sources that sequences lie in.
struct IndexedSource {
  std::string name;
  Fingerprint data;
  std::int64_t modified_ns = 0;  // as below
};

/// What an index file must have been made from, to be used.
struct IndexIdentity {
  std::string options;           // the format, and every option that changes the index
  Fingerprint data;              // of the file indexed
  std::int64_t modified_ns = 0;  // when that was last changed; for people, not compared

  // In data of several sources: each, by its number in tables (SourcePlace::source). `data` is then
  // the file that lists the sources.
  std::vector<IndexedSource> sources{};

  /// Why a file made from this is of no use to one who wants `wanted`, in words for a note; empty
  /// where it is.
  [[nodiscard]] std::string difference(const IndexIdentity& wanted) const;
};

/// One chunk with all that is kept of it. `extra` is the format's own.
struct IndexRecord {
  ChunkInfo info;
  std::shared_ptr<const SequenceTable> sequences;
  std::vector<std::int64_t> extra;
};

/// Writes an index file, chunk by chunk. It is there once finish() returns, or not at all: a
/// temporary name of its own, synced, renamed. Writers that run at once do no harm. Its bytes
/// depend on what is handed in alone. It replaces index files alone.
///
/// Throws: IoError with the path and the reason, all calls.
/// Cost:   memory of 72 bytes a chunk, and of the block of the chunk under way.
class IndexFileWriter {
 public:
  /// Begins a file. IndexFile::access_points() returns `access_points` to a reader of the file. A
  /// file with access points has version 2, a file with sources version 3, and any other file
  /// version 1.
  ///
  /// Pre: there are no access points, or no sources.
  IndexFileWriter(FileSystem& files, const std::string& path, IndexIdentity identity,
                  std::string access_points = {});
  IndexFileWriter(const IndexFileWriter&) = delete;
  IndexFileWriter& operator=(const IndexFileWriter&) = delete;
  ~IndexFileWriter();  // what is not finished is removed

  /// The next chunk.
  ///
  /// Pre: record.sequences has info.sequence_count sequences.
  void add(const IndexRecord& record);

  /// `notes` is text of the format's own, given back by IndexFile::notes(). Nothing is added
  /// afterwards.
  void finish(std::string_view notes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A finished index file. Keeps everything in memory but the sequence tables, which are read when
/// somebody asks for them; so readers of one machine share them in the system's cache.
///
/// Cost:    memory of 20 to 35 bytes a chunk.
/// Threads: all calls are safe from any number of threads.
class IndexFile {
 public:
  /// Open it; nothing, and the reason in `why`, where there is none, or it is damaged, of another
  /// version, or made from something else. `why` begins with the path, and is left alone otherwise.
  [[nodiscard]] static std::unique_ptr<IndexFile> open(FileSystem& files, const std::string& path,
                                                       const IndexIdentity& wanted,
                                                       std::string& why);

  /// The same, whatever it was made from: identity() tells.
  [[nodiscard]] static std::unique_ptr<IndexFile> open(FileSystem& files, const std::string& path,
                                                       std::string& why);

  IndexFile(const IndexFile&) = delete;
  IndexFile& operator=(const IndexFile&) = delete;
  ~IndexFile();

  /// What it was made from.
  [[nodiscard]] const IndexIdentity& identity() const noexcept;

  [[nodiscard]] std::int64_t chunk_count() const noexcept;

  /// Pre: 0 <= chunk < chunk_count(), here and below.
  [[nodiscard]] ChunkInfo info(std::int64_t chunk) const noexcept;

  /// Read the table and the extra numbers of a chunk.
  ///
  /// Throws: IoError, also where its checksum is wrong, or a sequence lies outside of its source.
  [[nodiscard]] IndexRecord record(std::int64_t chunk) const;

  [[nodiscard]] std::string_view notes() const noexcept;

  /// Read what ByteSource::access_points() of the data was; empty where the file has none.
  ///
  /// Throws: IoError, also where its checksum is wrong.
  [[nodiscard]] std::string access_points() const;

  /// Memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct State;
  explicit IndexFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sheaf::internal
