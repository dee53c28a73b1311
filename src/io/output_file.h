// Files that are there whole or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/extend/file_sink.h"

namespace sheaf::internal {

/// Writes a file under a temporary name of its own in the same folder: PATH.PROCESS-NUMBER.part.
/// finish() gives the file its name. So nobody ever sees half a file, and of several writers that
/// may replace a file the last one wins. The only way in which this library writes named files.
class OutputFile {
 public:
  /// Throws: as create_file().
  explicit OutputFile(const std::string& path, const FileOptions& options = {});
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// What is not finished is removed.
  ~OutputFile();

  void write(std::span<const std::byte> bytes);

  /// Replace bytes that were written before.
  void overwrite(std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Bring all bytes to the disk, where the durability asks for it. Nothing is written afterwards.
  ///
  /// Throws: IoError with the system's reason, as write(), overwrite() and finish().
  void sync();

  /// Give the file its name, after sync() where that was not called. Called once.
  ///
  /// Throws: IoError also where a file that may not be replaced has got the name meanwhile. After
  ///         an error no file has the name, unless one had the name before.
  void finish();

 private:
  FileOptions options_;
  std::string path_;            // links followed
  std::string temporary_path_;  // empty where there is no such file
  int descriptor_ = -1;         // -1: closed
};

}  // namespace sheaf::internal
