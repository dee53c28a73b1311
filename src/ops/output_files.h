// The files that an operation writes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::internal {

/// Files that get their names together: none, until all are whole and on the disk.
///
/// Threads: one calls everything here; each sink belongs to one, too.
class OutputFiles {
 public:
  /// Lifetime: `files` must outlive it.
  explicit OutputFiles(FileSystem& files);
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// What was not published is thrown away.
  ~OutputFiles();

  /// Begins a file.
  ///
  /// Lifetime: the sink may outlive the files.
  /// Throws:   as FileSystem::create(); so do the sink and publish().
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path, Existing existing);

  /// Returns the bytes written to the number-th that was begun.
  [[nodiscard]] std::int64_t bytes(std::size_t number) const noexcept;

  /// Gives all of them their names.
  ///
  /// Pre: their sinks are finished.
  void publish();

 private:
  struct File;
  class HeldSink;
  FileSystem& system_;
  std::vector<std::shared_ptr<File>> files_;
};

/// "a/train-00002-of-00010.cbf" of "a/train.cbf".
[[nodiscard]] std::string shard_path(std::string_view path, std::int64_t number,
                                     std::int64_t count);

/// "a/data.test.cbf" of "a/data.cbf" and "test".
[[nodiscard]] std::string part_path(std::string_view path, std::string_view part);

}  // namespace sheaf::internal
