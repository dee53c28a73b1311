// Opens the files of a data set on demand.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"

#include "format/listed/file_cache.h"

namespace sheaf::wav {

/// Files by number, counted from 0.
///
/// Threads: all calls are safe from any number of threads.
class WavFiles {
 public:
  using Sources = std::vector<std::shared_ptr<const ByteSource>>;

  /// A single open file.
  explicit WavFiles(std::shared_ptr<const ByteSource> source);

  /// Files and entries of archives, compressed or not. At most 512 of them stay open.
  ///
  /// Lifetime: the file system of `context` must outlive the WavFiles.
  WavFiles(std::vector<std::string> paths, const Context& context, IndexOptions index);

  [[nodiscard]] std::int64_t count() const noexcept { return std::ssize(paths_); }

  /// Returns the path of a file, as the user gave it.
  ///
  /// Lifetime: that of the WavFiles.
  [[nodiscard]] const std::string& path(std::int64_t file) const {
    return paths_[static_cast<std::size_t>(file)];
  }

  /// Opens a file to read it once.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::shared_ptr<const ByteSource> open(std::int64_t file) const;

  /// Returns open files, and keeps them open.
  ///
  /// Throws: IoError.
  [[nodiscard]] Sources open_all(std::span<const std::int64_t> files) const;

  /// Returns whether small reads anywhere in the files are fast.
  [[nodiscard]] bool has_fast_random_access() const noexcept {
    return source_ != nullptr && source_->has_fast_random_access();
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] std::shared_ptr<const ByteSource> open_path(const std::string& path) const;

  const std::shared_ptr<const ByteSource> source_;  // null if paths are opened
  const std::vector<std::string> paths_;
  FileSystem* const files_ = nullptr;
  const IndexOptions index_;
  mutable internal::FileCache<ByteSource> kept_;
};

}  // namespace sheaf::wav
