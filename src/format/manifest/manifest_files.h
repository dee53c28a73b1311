// Opens the files that a manifest names.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"

#include "format/audio/riff.h"
#include "format/kaldi/kaldi_object.h"
#include "format/listed/file_cache.h"
#include "format/manifest/manifest_line.h"
#include "format/manifest/manifest_npy.h"
#include "format/named_file.h"

namespace sheaf::manifest {

/// A compressed matrix of Kaldi.
struct CompressedMatrix {
  internal::KaldiHead head;
  std::int64_t begin_bytes = 0;  // start of the object in the file
};

/// The contents of a file, or of an object of Kaldi in a file.
using FileContents = std::variant<internal::RiffAudio, FloatArray, CompressedMatrix, FileFault>;

/// One open file or object whose head was read.
struct SampleFile {
  std::shared_ptr<const ByteSource> source;
  FileContents contents;
};

/// Returns the name by which ManifestFiles opens the file or object of a line. For a file it is the
/// path. For an object of Kaldi it is a byte of value 0, the path, a colon and the offset. No path
/// has a byte of value 0.
[[nodiscard]] std::string name_of(const ManifestLine& line);

/// Opens the files of a manifest, and keeps the files used last open.
///
/// Threads: all calls are safe from any number of threads.
class ManifestFiles {
 public:
  using Files = std::vector<std::shared_ptr<const SampleFile>>;

  /// Relative paths begin at the working directory, or else at the folder of the manifest.
  ///
  /// Lifetime: the file system of `context` must outlive the ManifestFiles.
  ManifestFiles(const Context& context, std::string folder, Samples samples,
                std::int64_t read_size_bytes, std::size_t open_max = internal::kOpenFilesMax)
      : context_{.files = context.files},
        folder_(std::move(folder)),
        samples_(samples),
        read_size_bytes_(read_size_bytes),
        kept_(open_max),
        archives_(open_max) {}

  /// Returns the files of several names. A file is null if it does not exist, or if the name is
  /// empty. Reads the heads of up to 64 files at once.
  ///
  /// Throws: the IoError of the first file that has one.
  [[nodiscard]] Files open_all(std::span<const std::string_view> names);

  /// Returns the path by which open_all() opens a file.
  [[nodiscard]] std::string path_of(std::string_view path) const {
    return internal::named_file_path(path, folder_, context_.file_system());
  }

  /// Returns the number of open files.
  [[nodiscard]] std::size_t open_count() const { return kept_.size(); }

 private:
  /// A file or object to open.
  struct Opening {
    std::string_view path;
    std::optional<std::int64_t> object_begin{};
    std::shared_ptr<const ByteSource> source = nullptr;
    std::vector<std::byte> head{};
  };

  [[nodiscard]] Files load(std::span<const std::string_view> names);
  void open_sources(std::span<Opening> openings);

  const Context context_;
  const std::string folder_;
  const Samples samples_;
  const std::int64_t read_size_bytes_;
  internal::FileCache<SampleFile> kept_;
  internal::FileCache<ByteSource> archives_;  // of Kaldi, each with many objects
};

}  // namespace sheaf::manifest
