/// \file
/// The file system and the executor for opening data.

#pragma once

#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

namespace sheaf {

/// The services that opening data uses besides options. They never change what is delivered.
struct Context {
  /// The file system of all files. Null means system_files(). Must outlive the opened data.
  FileSystem* files = nullptr;

  /// Runs the work of opening in parallel. Null means the caller's thread. Not used afterwards.
  Executor* executor = nullptr;

  /// Returns the file system to use.
  [[nodiscard]] FileSystem& file_system() const {
    return files != nullptr ? *files : system_files();
  }
};

}  // namespace sheaf
