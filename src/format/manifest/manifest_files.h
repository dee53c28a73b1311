// The files that a manifest names.

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
  std::int64_t begin_bytes = 0;  // of the object in the file
};

/// What a file has, or an object of Kaldi in a file.
using FileContents = std::variant<internal::RiffAudio, FloatArray, CompressedMatrix, FileFault>;

/// One file or object, which is open, and whose head was read.
struct SampleFile {
  std::shared_ptr<const ByteSource> source;
  FileContents contents;
};

/// Returns the name by which ManifestFiles opens what a line names: the path of a file; or a byte
/// of value 0, the path, a colon and the offset of an object of Kaldi. No path has a byte of value
/// 0.
[[nodiscard]] std::string name_of(const ManifestLine& line);

/// Opens the files of a manifest, and keeps those that were used last.
///
/// Threads: all calls are safe from any number of threads.
class ManifestFiles {
 public:
  using Files = std::vector<std::shared_ptr<const SampleFile>>;

  /// Relative paths begin at the working directory, then at the folder of the manifest.
  ///
  /// Lifetime: the file system of `context` must outlive the object.
  ManifestFiles(const Context& context, std::string folder, Samples samples,
                std::int64_t read_size_bytes, std::size_t open_max = internal::kOpenFilesMax)
      : context_{.files = context.files},
        folder_(std::move(folder)),
        samples_(samples),
        read_size_bytes_(read_size_bytes),
        kept_(open_max),
        archives_(open_max) {}

  /// Returns the files of several names, null where there is no such file. An empty name is no
  /// file. Reads the heads of up to 64 files at once.
  ///
  /// Throws: IoError of the first file that has one.
  [[nodiscard]] Files open_all(std::span<const std::string_view> names);

  /// Returns the path by which open_all() opens a file.
  [[nodiscard]] std::string path_of(std::string_view path) const {
    return internal::named_file_path(path, folder_, context_.file_system());
  }

  /// Returns how many files are open.
  [[nodiscard]] std::size_t open_count() const { return kept_.size(); }

 private:
  /// What is opened by a name.
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
  internal::FileCache<ByteSource> archives_;  // of Kaldi: many objects have one
};

}  // namespace sheaf::manifest
