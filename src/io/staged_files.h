// The files of one output, which appear together.

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

/// Files that get their names together: none, until all files are whole and on the disk. Finishing
/// a sink of such a file brings the bytes to their place, and publish() gives the names, in the
/// order in which the sinks were finished. So a list that is finished last appears last.
///
/// A file system for what makes the files; all but create() goes to the file system below.
///
/// Threads: as FileSystem; each sink belongs to one thread. publish() runs alone.
class StagedFiles final : public ForwardingFiles {
 public:
  /// Lifetime: `files` must outlive it.
  explicit StagedFiles(FileSystem& files);
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  /// Drops the finished files that were not published.
  ~StagedFiles() override;

  using FileSystem::create;

  /// Begins a file.
  ///
  /// Lifetime: the sink may outlive the files.
  /// Throws:   ConfigError also where another file of the output has the path.
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override;

  /// Takes a file that was begun elsewhere into the output.
  [[nodiscard]] std::unique_ptr<ByteSink> add(std::unique_ptr<ByteSink> sink);

  /// Returns the bytes written to all files so far.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Gives all files their names. Where one of them cannot have its name, removes those files that
  /// have theirs already, unless they replaced others.
  ///
  /// Throws: as ByteSink::finish().
  /// Pre:    the sinks are finished.
  void publish();

 private:
  class Finished;
  class HeldSink;

  const std::shared_ptr<Finished> finished_;
  std::mutex mutex_;
  std::set<std::string> paths_;  // of the files begun, in their plainest form
};

}  // namespace sheaf::internal
