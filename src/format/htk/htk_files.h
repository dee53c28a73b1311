// The files that a list names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

#include "format/htk/htk_header.h"
#include "format/htk/htk_values.h"
#include "format/named_file.h"

namespace sheaf::htk {

/// One file of parameters. Only `source` is null where there is no such file.
struct ParameterFile {
  std::shared_ptr<const ByteSource> source;
  std::variant<Header, HeaderFault> contents;
  std::vector<std::byte> scale_bytes;  // as the file has them, of compressed files
  std::vector<float> scales;           // all of A, then all of B

  [[nodiscard]] const Header* header() const noexcept { return std::get_if<Header>(&contents); }
  [[nodiscard]] Scales decoding() const noexcept {
    const std::span<const float> all(scales);
    return {.scales = all.first(all.size() / 2), .offsets = all.last(all.size() / 2)};
  }
};

/// Opens the files of a list, and keeps those that were used last.
///
/// Threads: all calls are safe from any number of threads.
class ParameterFiles {
 public:
  /// Files that stay open.
  static constexpr std::size_t kOpenMax = 512;

  /// Relative paths begin at the working directory, then at the folder of the list.
  ///
  /// Lifetime: `files` must outlive the object.
  ParameterFiles(FileSystem& files, std::string list_folder, std::int64_t read_size_bytes,
                 std::size_t open_max = kOpenMax);

  /// Returns a file.
  ///
  /// Throws: IoError, but not where there is no such file.
  [[nodiscard]] std::shared_ptr<const ParameterFile> open(std::string_view path);

  /// Returns the path by which open() opens a file.
  [[nodiscard]] std::string path_of(std::string_view path) const {
    return internal::named_file_path(path, list_folder_, files_);
  }

  /// Returns how many files are open.
  [[nodiscard]] std::size_t open_count() const;

 private:
  using Kept = std::pair<std::string, std::shared_ptr<const ParameterFile>>;

  [[nodiscard]] std::shared_ptr<const ParameterFile> read(const std::string& path) const;

  FileSystem& files_;
  const std::string list_folder_;
  const std::int64_t read_size_bytes_;
  const std::size_t open_max_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the last one used is the first; under the mutex, as below
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_path_;
};

/// Reads bytes in pieces of at most `read_size_bytes`.
///
/// Throws: IoError.
void read_bytes(const ByteSource& source, std::int64_t offset, std::span<std::byte> into,
                std::int64_t read_size_bytes);

}  // namespace sheaf::htk
