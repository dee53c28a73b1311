// Opens the files that a list names.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

#include "format/htk/htk_header.h"
#include "format/htk/htk_values.h"
#include "format/listed/file_cache.h"
#include "format/named_file.h"

namespace sheaf::htk {

/// One parameter file. If the file does not exist, only `source` is null.
struct ParameterFile {
  std::shared_ptr<const ByteSource> source;
  std::variant<Header, HeaderFault> contents;
  std::vector<std::byte> scale_bytes;  // bytes of the scales in a compressed file
  std::vector<float> scales;           // all of A, then all of B

  [[nodiscard]] const Header* header() const noexcept { return std::get_if<Header>(&contents); }
  [[nodiscard]] Scales decoding() const noexcept {
    const std::span<const float> all(scales);
    return {.scales = all.first(all.size() / 2), .offsets = all.last(all.size() / 2)};
  }
};

/// Opens the files of a list, and keeps the files used last open.
///
/// Threads: all calls are safe from any number of threads.
class ParameterFiles {
 public:
  /// Relative paths begin at the working directory, or else at the folder of the list.
  ///
  /// Lifetime: `files` must outlive the ParameterFiles.
  ParameterFiles(FileSystem& files, std::string list_folder, std::int64_t read_size_bytes,
                 std::size_t open_max = internal::kOpenFilesMax);

  /// Returns the file of a path, or null if there is no such file.
  ///
  /// Throws: IoError.
  [[nodiscard]] std::shared_ptr<const ParameterFile> open(std::string_view path);

  /// Returns the path by which open() opens a file.
  [[nodiscard]] std::string path_of(std::string_view path) const {
    return internal::named_file_path(path, list_folder_, files_);
  }

  /// Returns several files. Reads all of their headers at once. Returns null for an empty path.
  ///
  /// Throws: the IoError of the first file that has one.
  [[nodiscard]] std::vector<std::shared_ptr<const ParameterFile>> open_all(
      std::span<const std::string_view> paths);

  /// Returns the number of open files.
  [[nodiscard]] std::size_t open_count() const { return kept_.size(); }

 private:
  using Cache = internal::FileCache<ParameterFile>;

  /// A file that is being opened.
  struct Opening {
    std::string_view path;
    ParameterFile file = {};
    std::array<std::byte, kHeadSize> head = {};
    std::size_t head_size = 0;
    std::exception_ptr error = nullptr;

    [[nodiscard]] bool is_there() const noexcept { return file.source != nullptr && !error; }
  };

  [[nodiscard]] Cache::Files load(std::span<const std::string_view> paths) const;
  void read_heads(std::span<Opening> files) const;
  void read_scales(std::span<Opening> files) const;
  template <typename BytesOf>
  void read_bytes_of(std::span<Opening* const> files, std::int64_t offset,
                     const BytesOf& bytes_of) const;

  FileSystem& files_;
  const std::string list_folder_;
  const std::int64_t read_size_bytes_;
  Cache kept_;
};

}  // namespace sheaf::htk
