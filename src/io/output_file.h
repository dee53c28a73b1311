// Files that are there whole or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sheaf::internal {

/// Writes a file under a temporary name of its own in the same folder: PATH.PROCESS-NUMBER.part.
/// finish() gives it its name, in place of any file of that name, when all its bytes are on the
/// disk. So nobody ever sees half a file, and of several writers the last one wins.
class OutputFile {
 public:
  /// Throws: IoError with the system's reason, as all calls.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// What is not finished is removed.
  ~OutputFile();

  void write(std::span<const std::byte> bytes);

  /// Bring all bytes to the disk. Nothing is written afterwards.
  void sync();

  /// Give the file its name, after sync() where that was not called. Called once.
  void finish();

 private:
  std::string path_;
  std::string temporary_path_;  // empty where there is no such file
  int descriptor_ = -1;         // -1: closed
};

}  // namespace sheaf::internal
