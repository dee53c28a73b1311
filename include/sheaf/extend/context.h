/// \file
/// What a program hands to whatever opens data.

#pragma once

#include "sheaf/extend/executor.h"
#include "sheaf/extend/file_system.h"

namespace sheaf {

/// What opening data uses besides options. Nothing here changes what is delivered.
struct Context {
  /// Where files are; null means system_files(). Must outlive what is opened.
  FileSystem* files = nullptr;

  /// Where opening may run work in parallel; null means the caller's thread. Not used afterwards.
  Executor* executor = nullptr;

  /// Returns the file system to use.
  [[nodiscard]] FileSystem& file_system() const {
    return files != nullptr ? *files : system_files();
  }
};

}  // namespace sheaf
