// Prevents a conversion from replacing its own input.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

#include "io/forwarding_files.h"

namespace sheaf::internal {

/// A file system whose create() refuses to replace any file that the data name, such as an archive
/// in a list of utterances. The guard asks the data for these names when create() first meets an
/// existing file.
///
/// Threads: as FileSystem.
class InputGuard final : public ForwardingFiles {
 public:
  using FileSystem::create;

  /// Lifetime: both arguments must outlive the guard.
  InputGuard(FileSystem& files, const Deserializer& data) : ForwardingFiles(files), data_(data) {}

  /// Throws: also ConfigError if the data name the file, and IoError if the names cannot be read.
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override;

 private:
  [[nodiscard]] bool is_named(const std::string& path);

  const Deserializer& data_;
  std::once_flag asked_;
  std::vector<SequenceKey> named_;  // hashes of canonical paths, sorted
};

}  // namespace sheaf::internal
