// Publishes the files of one output together.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/file_sink.h"
#include "sheaf/extend/file_system.h"

#include "io/forwarding_files.h"

namespace sheaf::internal {

/// Gives several files their names together, when all of them are complete and on the disk.
/// finish() of a sink writes the bytes to the disk, and publish() gives all files their names, in
/// the order in which the sinks were finished. So a list of files that is finished last appears
/// last.
///
/// Pass this file system to the code that writes the files. It forwards everything but create() to
/// the file system below.
///
/// Threads: as FileSystem; each sink belongs to one thread. No other call may run during publish().
class StagedFiles final : public ForwardingFiles {
 public:
  /// Lifetime: `files` must outlive the object.
  explicit StagedFiles(FileSystem& files);
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  /// Drops the finished files that were not published.
  ~StagedFiles() override;

  using FileSystem::create;

  /// Begins a file.
  ///
  /// Lifetime: the sink may outlive the StagedFiles.
  /// Throws:   as FileSystem; ConfigError also if another file of the output has the same path.
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override;

  /// Adds a file to the output that was begun elsewhere.
  [[nodiscard]] std::unique_ptr<ByteSink> add(std::unique_ptr<ByteSink> sink);

  /// Returns the bytes written to all files so far.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Gives all files their names. If one of them cannot have its name, removes the files named
  /// before, except those that replaced other files.
  ///
  /// Pre:    the sinks are finished.
  /// Throws: as ByteSink::finish().
  void publish();

 private:
  class Finished;
  class HeldSink;

  const std::shared_ptr<Finished> finished_;
  std::mutex mutex_;
  std::set<std::string> paths_;  // normalized paths of the files begun
};

}  // namespace sheaf::internal
