// One walk over all folders.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/file_system.h"

#include "core/error_kind.h"
#include "format/image_folder/image_folder_paths.h"

namespace sheaf::image_folder {

/// Returns whether the name of a file ends with .jpg, .jpeg, .png or .webp, in letters of any case.
[[nodiscard]] bool is_image_name(std::string_view name) noexcept;

/// Files or folders of one kind: how many there are, and the first of them.
struct CountedPaths {
  std::int64_t count = 0;
  std::string first;
};

/// What the folders hold. The classes of a root are the folders directly below the root.
struct FolderScan {
  static constexpr std::int32_t kNoClass = -1;

  std::vector<std::string> roots;  // without a slash at the end
  ImagePaths paths;
  std::vector<std::string> class_names;      // by the ids of the classes
  std::vector<std::int32_t> folder_classes;  // the id of the class of each folder of images
  CountedPaths without_class;                // images that lie directly in a root
  CountedPaths other_files;                  // which are passed over
  CountedPaths empty_classes;
  std::optional<Diagnostic> class_fault;  // why there are no labels
  std::string identity;                   // equal for equal paths and sizes

  /// Returns the path of an image as the user can open the image.
  [[nodiscard]] std::string file_path(std::int64_t image) const;

  /// Returns the key of an image: the path from the root on. Where there are several roots, the
  /// path of the root comes first.
  [[nodiscard]] std::string key_text(std::int64_t image) const;

  /// Returns the size of key_text().
  [[nodiscard]] std::int64_t key_size(std::int64_t image) const noexcept;

  [[nodiscard]] std::int32_t class_id(std::int64_t image) const noexcept {
    return folder_classes[static_cast<std::size_t>(paths.folder(image))];
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Walks over all folders. `class_names` are the names of a file, empty where there is no file:
/// then classes are sorted by name, byte by byte.
///
/// Throws: ConfigError where a folder is named twice; DataError where a folder holds no image;
///         IoError.
/// Cost:   as ImagePaths, and the names of one folder at a time.
[[nodiscard]] FolderScan scan_folders(std::span<const std::string> folders,
                                      std::vector<std::string> class_names, FileSystem& files);

/// Returns a diagnostic about a folder or a file as a whole.
[[nodiscard]] Diagnostic diagnostic_of_path(std::string path, const internal::ErrorKind& kind,
                                            std::string found);

}  // namespace sheaf::image_folder
