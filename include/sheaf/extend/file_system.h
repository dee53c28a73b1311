/// \file
/// File systems: the files of the machine, or files in memory.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_sink.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_sink.h"

namespace sheaf {

/// A file or a folder below another folder.
///
/// Lifetime: `path` is valid during the call of `visit` that gets the entry.
struct TreeEntry {
  std::string_view path = {};   // relative to the other folder, such as "cats/001.jpg"
  std::int64_t size_bytes = 0;  // of a file
  bool is_folder = false;

  /// The time of the file's last change, in nanoseconds since 1970; 0 if unknown.
  std::int64_t modified_ns = 0;
};

/// Opens, lists and creates files by path. The library accesses all named files through a file
/// system: data, patterns, index files, outputs, configurations.
///
/// Derive from this class to read files from elsewhere, and pass the file system as Context::files.
///
/// Threads: all calls are safe from any number of threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Opens a file. The source must not outlive the file system, unless the derived class allows
  /// that.
  ///
  /// Throws: IoError with the reason if the file does not exist or is not a regular file.
  [[nodiscard]] virtual std::shared_ptr<const ByteSource> open(const std::string& path) = 0;

  /// Returns whether `path` leads to a file or a folder.
  [[nodiscard]] virtual bool exists(const std::string& path) = 0;

  /// Returns the paths that match a pattern, sorted byte by byte. Empty if no path matches.
  ///
  /// `*`, `?` and `[...]` match any characters except a slash, and except a dot at the beginning of
  /// a name. A backslash makes the next character literal.
  ///
  /// Throws: IoError if a folder cannot be read.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& pattern) = 0;

  /// Returns whether `path` leads to a folder. By default, no path does.
  [[nodiscard]] virtual bool is_folder(const std::string& path);

  /// Calls `visit` with each file and each folder below a folder, at any depth. Skips files and
  /// folders whose names begin with a dot. Follows links, but skips a link to a folder that
  /// contains the link, so that the walk ends. Skips pipes, sockets and devices.
  ///
  /// Order:  sorted byte by byte by path, with a slash at the end of the path of a folder. So a
  ///         folder comes right before its contents.
  /// Throws: IoError with the path if a folder cannot be read, or if a link leads nowhere; what
  ///         `visit` throws. By default, IoError, because the file system lists no folders.
  /// Cost:   keeps the names of a folder in memory until all of them have been visited.
  virtual void visit_tree(const std::string& folder,
                          const std::function<void(const TreeEntry& entry)>& visit);

  /// Begins a file. The file does not exist until ByteSink::finish() returns. See create_file() of
  /// sheaf/extend/file_sink.h.
  ///
  /// Throws: ConfigError if something other than a regular file has the name, or if
  ///         options.existing refuses to replace an existing file; IoError with the reason.
  [[nodiscard]] virtual std::unique_ptr<ByteSink> create(const std::string& path,
                                                         const FileOptions& options) = 0;
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path) {
    return create(path, FileOptions{});
  }

  /// Checks that create() can write to `path`. Returns whether a file already has the name.
  ///
  /// Throws: as create(); IoError also if the folder does not exist.
  virtual bool check_creatable(const std::string& path) = 0;

  /// Returns whether two paths lead to the same file. Returns false for paths that lead nowhere.
  [[nodiscard]] virtual bool is_same_file(const std::string& a, const std::string& b) = 0;

  /// Returns the canonical path of a file: absolute, and without links. All paths to one file have
  /// the same canonical path. The file need not exist. By default, returns the path without `.` and
  /// `..`.
  [[nodiscard]] virtual std::string canonical(const std::string& path);

  /// Creates a folder, and the folders above it. Does nothing if the folder exists. By default,
  /// does nothing, because files need no folder.
  ///
  /// Throws: IoError with the reason.
  virtual void create_folder(const std::string& path);

  /// Returns when a file was last changed, in nanoseconds since 1970. Returns 0 if there is no such
  /// file, or if the time is unknown. By default, no time is known.
  [[nodiscard]] virtual std::int64_t modified_ns(const std::string& path);

  /// Removes a file. Does nothing if the file does not exist.
  ///
  /// Throws: IoError with the reason.
  virtual void remove(const std::string& path) = 0;
};

/// The files of this machine. There is one such file system for the process. Any number of files
/// may be open, because files share a limited number of descriptors. A read of a file whose
/// descriptor was closed opens the file again. Sources may outlive everything.
///
/// If a file was replaced, changed or removed after its descriptor was closed, a read throws an
/// IoError. docs/reliability.md says when descriptors are closed.
[[nodiscard]] FileSystem& system_files();

/// Returns an empty file system in memory, for tests, and for programs that make data or take
/// results without a disk. Every folder exists. `.` and `..` in paths are resolved. A source keeps
/// the bytes that the file had when it was opened. Sources and sinks may outlive the file system.
[[nodiscard]] std::unique_ptr<FileSystem> memory_files();

/// Checks that a file can be written to `path` of a file system, before the work begins. Returns
/// whether a file already has the name.
///
/// Throws: ConfigError if `path` is the same file as one of `sources`. Also as
///         FileSystem::check_creatable().
bool check_output_path(FileSystem& files, const std::string& path,
                       std::span<const std::string> sources = {});

}  // namespace sheaf
