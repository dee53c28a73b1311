// Files that another file names.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"

namespace sheaf::internal {

/// Returns the text before the last slash or backslash of a path, or "." if there is none.
[[nodiscard]] std::string folder_of(std::string_view path);

/// Returns the folder of a file, by its path, or else by its name.
[[nodiscard]] std::string folder_of(const ByteSource& file);

/// Opens a file that a file in `folder` names. A relative path begins at the working directory, or
/// else at `folder`. Returns null if the file is in neither.
///
/// Throws: IoError, except for a file that does not exist, and for a folder.
[[nodiscard]] std::shared_ptr<const ByteSource> open_named_file(std::string_view path,
                                                                std::string_view folder,
                                                                FileSystem& files);

/// Returns the name of a file without its folder and its last extension: "x.y" of "a/x.y.toc".
///
/// Lifetime: that of the path.
[[nodiscard]] std::string_view file_stem(std::string_view path) noexcept;

/// Returns the path of the file that open_named_file() opens. For an entry of an archive, returns
/// the path of the archive. Returns a path that leads nowhere if there is no such file.
[[nodiscard]] std::string named_file_path(std::string_view path, std::string_view folder,
                                          FileSystem& files);

}  // namespace sheaf::internal
