/// \file
/// The files of a cache.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/spec.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A folder with a file for each unit, which several processes may share. A file appears either
/// complete or not at all, so no process needs a lock. If two processes write the same unit, either
/// file is right.
///
/// With a limit, a write makes room: it removes files that this run neither read nor wrote, the
/// oldest first. If that is not enough, the unit is not written. Otherwise a run that reads its
/// units in turn would remove each one before its next use. Since other processes write, too, the
/// folder is listed again and again. Between two listings, the files of all processes together may
/// exceed the limit by the files that the others wrote.
///
/// Threads: all calls are safe from any number of threads.
class UnitFiles {
 public:
  /// Lifetime: `files` must outlive the object.
  /// Throws: ConfigError if something other than a folder has the name.
  UnitFiles(CacheOptions options, FileSystem& files);

  [[nodiscard]] const std::string& folder() const noexcept { return options_.folder; }
  [[nodiscard]] std::string path_of(const SequenceKey& unit) const;

  /// Opens the file of a unit. Returns null if there is none.
  [[nodiscard]] std::shared_ptr<const ByteSource> open(const SequenceKey& unit);

  /// Writes the file of a unit. Returns whether there was room.
  ///
  /// Throws: IoError; then there is no such file.
  [[nodiscard]] bool write(const SequenceKey& unit, std::string_view bytes);

  /// Removes the file of a unit if the file system allows it.
  void remove(const SequenceKey& unit) noexcept;

 private:
  struct Unused {
    std::int64_t modified_ns = 0;
    std::string name = {};
    std::int64_t size_bytes = 0;
  };

  [[nodiscard]] bool make_room(std::int64_t size_bytes);
  void list();
  void remove_file(const std::string& path) noexcept;

  const CacheOptions options_;
  FileSystem& files_;

  std::mutex mutex_;
  // Low halves of names; under the mutex, as all members below.
  std::unordered_set<std::uint64_t> used_;
  std::unordered_map<std::uint64_t, std::int64_t> in_flight_;  // sizes of files being written
  std::vector<Unused> unused_;                                 // the oldest last
  std::int64_t total_bytes_ = 0;  // size of all unit files, including files being written
  bool is_listed_ = false;
  std::chrono::steady_clock::time_point listed_at_;
  std::chrono::steady_clock::duration list_time_{};
};

}  // namespace sheaf::internal
