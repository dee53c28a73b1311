/// \file
/// Where files are: the file system of the machine, or one in memory.

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
/// Lifetime: of the path, that of the call of FileSystem::visit_tree() that gives the entry.
struct TreeEntry {
  std::string_view path = {};   // from the other folder on, as in "cats/001.jpg"
  std::int64_t size_bytes = 0;  // of a file
  bool is_folder = false;

  /// When a file was last changed, in nanoseconds since 1970; 0 where unknown.
  std::int64_t modified_ns = 0;
};

/// Opens, lists and creates files by path. Whatever the library does with a named file goes through
/// a file system: data, patterns, index files, outputs, configurations.
///
/// Derive from this class to read files from elsewhere. Hand the file system in as
/// Context::files.
///
/// Threads: all calls are safe from any number of threads.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  /// Opens a file. The source may outlive the file system only where the file system says so.
  ///
  /// Throws: IoError with the reason: the file is not there, or is no regular file.
  [[nodiscard]] virtual std::shared_ptr<const ByteSource> open(const std::string& path) = 0;

  /// Returns whether `path` leads to a file or a folder.
  [[nodiscard]] virtual bool exists(const std::string& path) = 0;

  /// Returns the paths that match a pattern, sorted byte by byte; none where no path does.
  ///
  /// `*`, `?` and `[...]` stand for anything but a slash, and not for a dot that a name begins
  /// with. A backslash takes the meaning from the character behind it.
  ///
  /// Throws: IoError where a folder cannot be read.
  [[nodiscard]] virtual std::vector<std::string> list(const std::string& pattern) = 0;

  /// Returns whether `path` leads to a folder. By default, no path does.
  [[nodiscard]] virtual bool is_folder(const std::string& path);

  /// Calls `visit` with each file and each folder below a folder, at any depth. Skips names that
  /// begin with a dot, with everything below such folders. Follows links, but skips a link to a
  /// folder that contains the link, so that the walk ends. Skips pipes, sockets and devices.
  ///
  /// Order:  sorted byte by byte by paths, where the path of a folder ends with a slash. So a
  ///         folder comes right before its contents.
  /// Throws: IoError with the path where a folder cannot be read, and where a link leads nowhere;
  ///         what `visit` throws. By default, IoError: this file system lists no folders.
  /// Cost:   the names of a folder are held in memory until all of them have been visited.
  virtual void visit_tree(const std::string& folder,
                          const std::function<void(const TreeEntry& entry)>& visit);

  /// Begins a file. The file has its name when ByteSink::finish() returns, and is not there before
  /// that, as create_file() of sheaf/extend/file_sink.h says.
  ///
  /// Throws: ConfigError where something other than a regular file has the name, and where
  ///         options.existing refuses the file that is there; IoError with the reason.
  [[nodiscard]] virtual std::unique_ptr<ByteSink> create(const std::string& path,
                                                         const FileOptions& options) = 0;
  [[nodiscard]] std::unique_ptr<ByteSink> create(const std::string& path) {
    return create(path, FileOptions{});
  }

  /// Checks that create() can write to `path`. Returns whether a file already has the name.
  ///
  /// Throws: as create(); IoError also where the folder is not there.
  virtual bool check_creatable(const std::string& path) = 0;

  /// Returns whether two paths lead to the same file. Paths that lead nowhere do not.
  [[nodiscard]] virtual bool is_same_file(const std::string& a, const std::string& b) = 0;

  /// Returns a path in the form that all paths to one file have in common: absolute, and without
  /// links. The file need not exist. By default the path without its `.` and `..`.
  [[nodiscard]] virtual std::string canonical(const std::string& path);

  /// Creates a folder, with the folders above it. Does nothing where the folder is there. By
  /// default does nothing: files then need no folder.
  ///
  /// Throws: IoError with the reason.
  virtual void create_folder(const std::string& path);

  /// Returns when a file was last changed, in nanoseconds since 1970. Returns 0 where there is no
  /// such file, and where the file system does not know. By default no time is known.
  [[nodiscard]] virtual std::int64_t modified_ns(const std::string& path);

  /// Removes a file. Does nothing where there is none.
  ///
  /// Throws: IoError with the reason.
  virtual void remove(const std::string& path) = 0;
};

/// The files of this machine. The process has one such file system, and any number of files may be
/// open in it: files share a limited number of descriptors, and a file whose descriptor was closed
/// meanwhile is opened again where it is read. Sources may outlive everything.
///
/// A read of a file that was replaced, changed or removed since its descriptor was closed throws an
/// IoError. docs/reliability.md says when descriptors are closed.
[[nodiscard]] FileSystem& system_files();

/// Files in memory, none at first: for tests, and for programs that make data or take results
/// without a disk. Every folder exists. A path is the same as the one without its `.` and `..`.
/// Sources keep the bytes that the file had when it was opened, and may outlive the file system;
/// sinks may, too.
[[nodiscard]] std::unique_ptr<FileSystem> memory_files();

/// Checks that a file can be written to `path` of a file system, before any work is done for it.
/// Returns whether a file already has the name.
///
/// Throws: ConfigError where `path` is the same file as one of `sources`; as
///         FileSystem::check_creatable().
bool check_output_path(FileSystem& files, const std::string& path,
                       std::span<const std::string> sources = {});

}  // namespace sheaf
