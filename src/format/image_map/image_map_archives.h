// Opens the archives that a map of images names.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/archive.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::image_map {

/// Open archives, numbered from 0 in the order in which they were found. All of them stay open,
/// with the names of their entries in memory.
///
/// Threads: calls to const functions are safe from any number of threads.
class MapArchives {
 public:
  /// Lifetime: the file system must outlive the MapArchives.
  explicit MapArchives(FileSystem& files) : files_(files) {}

  /// Returns the number of the archive with a path. Opens the archive if the path is new. Returns
  /// nothing if the path does not have the extension of an archive. If `may_be_folder` is set, also
  /// returns nothing if the path does not lead to a file.
  ///
  /// Throws: IoError if the archive cannot be opened.
  [[nodiscard]] std::optional<std::int64_t> find(const std::string& path, bool may_be_folder);

  /// Returns the number of the first entry with a name, or nothing if there is none.
  ///
  /// Pre: end_search() was not called.
  [[nodiscard]] std::optional<std::int64_t> find_entry(std::int64_t archive, std::string_view name);

  /// Releases the tables that find_entry() uses.
  void end_search();

  [[nodiscard]] std::int64_t size_bytes(std::int64_t archive, std::int64_t entry) const;

  /// Throws: as Archive::open_entry().
  [[nodiscard]] std::shared_ptr<const ByteSource> open(std::int64_t archive,
                                                       std::int64_t entry) const;

  /// Returns the approximate memory of the entries' names.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  [[nodiscard]] std::optional<std::int64_t> add(const std::string& path, bool may_be_folder);
  [[nodiscard]] const Archive& archive_at(std::int64_t archive) const {
    return *archives_[static_cast<std::size_t>(archive)];
  }

  using Entries = std::unordered_map<std::string_view, std::int64_t>;

  FileSystem& files_;
  std::vector<std::shared_ptr<const Archive>> archives_;
  std::vector<Entries> entries_;  // for each archive
  std::unordered_map<std::string, std::optional<std::int64_t>> numbers_;
  std::int64_t memory_bytes_ = 0;
};

}  // namespace sheaf::image_map
