// Files that appear either complete or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/extend/file_sink.h"

namespace sheaf::internal {

/// Writes a file under a temporary name in the same folder: PATH.PROCESS-NUMBER.part. finish()
/// gives the file its own name. So nobody ever sees half a file. If several writers may replace a
/// file, the last one wins. The library writes named files only through this class.
class OutputFile {
 public:
  /// Throws: as create_file().
  explicit OutputFile(const std::string& path, const FileOptions& options = {});
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Removes an unfinished file.
  ~OutputFile();

  void write(std::span<const std::byte> bytes);

  /// Replaces bytes that were written before.
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Brings all bytes to the disk, if the durability requires it. No write may follow.
  ///
  /// Throws: IoError with the system's reason, as do write(), overwrite() and finish().
  void sync();

  /// Gives the file its name, after sync() if that was not called. Must be called once.
  ///
  /// Throws: IoError, also if a file that may not be replaced has got the name in the meantime.
  ///         After an error, no file has the name, unless one had it before.
  void finish();

 private:
  FileOptions options_;
  std::string path_;            // with links resolved
  std::string temporary_path_;  // empty if there is no temporary file
  int descriptor_ = -1;         // -1: closed
};

}  // namespace sheaf::internal
