// Keeps a conversion from replacing its own input.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

#include "io/forwarding_files.h"

namespace sheaf::internal {

/// A file system whose create() never replaces a file that the data name, such as an archive of a
/// list of utterances. The data are asked when the first file that exists is about to be replaced.
///
/// Threads: as FileSystem.
class InputGuard final : public ForwardingFiles {
 public:
  using FileSystem::create;

  /// Lifetime: both must outlive the guard.
  InputGuard(FileSystem& files, const Deserializer& data) : ForwardingFiles(files), data_(data) {}

  /// Throws: also ConfigError where the data name the file, and IoError where they cannot be asked.
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path,
                                                 const FileOptions& options) override;

 private:
  [[nodiscard]] bool is_named(const std::string& path);

  const Deserializer& data_;
  std::once_flag asked_;
  std::vector<SequenceKey> named_;  // hashes of canonical paths, sorted
};

}  // namespace sheaf::internal
