// Opens the files that lists of Kaldi name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"

#include "format/listed/file_cache.h"
#include "format/named_file.h"

namespace sheaf::kaldi {

/// Opens the files of a list, and keeps the files used last open.
///
/// The name of a file is its path, or kDecompressed and the path if the list has a command that
/// decompresses the file.
///
/// Threads: all calls are safe from any number of threads.
class KaldiSources {
 public:
  static constexpr char kDecompressed = '\n';  // no path in a list has a line end

  /// Relative paths begin at the working directory, or else at the folder of the list.
  KaldiSources(const Context& context, std::string list_folder,
               std::size_t open_max = internal::kOpenFilesMax)
      : context_{.files = context.files}, list_folder_(std::move(list_folder)), cache_(open_max) {}

  /// Returns the sources of several names. A source is null if the file does not exist, or if the
  /// name is empty.
  ///
  /// Throws: the IoError of the first file that has one.
  [[nodiscard]] std::vector<std::shared_ptr<const ByteSource>> open_all(
      std::span<const std::string_view> names);
  [[nodiscard]] std::shared_ptr<const ByteSource> open(std::string_view name);

  /// Returns the path by which open() opens a file.
  [[nodiscard]] std::string path_of(std::string_view name) const;

  /// Returns how many files are open.
  [[nodiscard]] std::size_t open_count() const { return cache_.size(); }

 private:
  [[nodiscard]] std::shared_ptr<const ByteSource> load(std::string_view name) const;

  const Context context_;
  const std::string list_folder_;
  internal::FileCache<ByteSource> cache_;
};

}  // namespace sheaf::kaldi
