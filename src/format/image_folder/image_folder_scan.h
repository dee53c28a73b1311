// Walks over all folders once.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/packed_ints.h"

#include "core/error_kind.h"
#include "format/image_folder/image_folder_paths.h"

namespace sheaf::image_folder {

/// Returns whether the name of a file ends with .jpg, .jpeg, .png or .webp, in upper or lower case.
[[nodiscard]] bool is_image_name(std::string_view name) noexcept;

/// The count and the first of some files or folders.
struct CountedPaths {
  std::int64_t count = 0;
  std::string first;
};

/// A frame with a wrong name. `other` is the first frame with the same number, or kNoFrame if the
/// name has no number.
struct FrameFault {
  static constexpr std::int64_t kNoFrame = -1;

  std::int64_t image = 0;
  std::int64_t other = kNoFrame;
};

/// The images of one root.
struct RootImages {
  std::int64_t first_image = 0;
  std::int64_t image_count = 0;
  Fingerprint listing;  // bytes of all images; hash of their paths, sizes and modification times
};

/// The rules of a scan.
struct ScanRules {
  std::vector<std::string> class_names{};  // from a file; if empty, classes are sorted by name
  bool joins_frames = false;               // the images of a folder are one sequence
};

/// The result of a scan. The classes of a root are the folders directly below the root.
struct FolderScan {
  static constexpr std::int32_t kNoClass = -1;

  std::vector<std::string> roots;       // without a slash at the end
  std::vector<RootImages> root_images;  // of each root
  ImagePaths paths;
  std::vector<std::string> class_names;      // by class id
  std::vector<std::int32_t> folder_classes;  // class id of each folder of images
  CountedPaths without_class;                // images that lie directly in a root
  CountedPaths without_clip;                 // images that lie directly in the folder of a class
  CountedPaths other_files;                  // files that are skipped
  CountedPaths empty_classes;
  std::optional<Diagnostic> class_fault;  // why there are no labels, if there are none
  std::string identity;                   // the same for the same paths and sizes
  bool joins_frames = false;              // a sequence is a folder, otherwise an image
  PackedInts frame_begins;                // first image of each folder; then the end of all
  std::vector<FrameFault> frame_faults;   // ascending by image

  /// Returns the path by which the user can open an image.
  [[nodiscard]] std::string file_path(std::int64_t image) const;

  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return joins_frames ? frame_begins.size() - 1 : paths.count();
  }

  /// Returns the number of the first image of a sequence. The images of all sequences are numbered
  /// consecutively.
  ///
  /// Pre: 0 <= sequence <= sequence_count().
  [[nodiscard]] std::int64_t first_image(std::int64_t sequence) const noexcept {
    return joins_frames ? frame_begins[sequence] : sequence;
  }

  /// Pre: 0 <= sequence < sequence_count(). The same holds for the next functions.
  [[nodiscard]] std::int64_t image_count(std::int64_t sequence) const noexcept {
    return first_image(sequence + 1) - first_image(sequence);
  }
  [[nodiscard]] std::int64_t size_bytes(std::int64_t sequence) const noexcept;

  /// Returns the path of a sequence for the user: the path of the image, or of the folder.
  [[nodiscard]] std::string sequence_path(std::int64_t sequence) const;

  /// Returns the key of a sequence, which is its path from the root. If there are several roots,
  /// the path of the root comes first.
  [[nodiscard]] std::string key_text(std::int64_t sequence) const;

  /// Returns the size of key_text().
  [[nodiscard]] std::int64_t key_size(std::int64_t sequence) const noexcept;

  [[nodiscard]] std::int32_t class_id(std::int64_t sequence) const noexcept {
    return folder_classes[static_cast<std::size_t>(paths.folder(first_image(sequence)))];
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Walks over all folders. Without names of classes, sorts classes by name, byte by byte.
///
/// Throws: ConfigError if a folder is named twice; DataError if a folder holds no image; IoError.
/// Cost:   as ImagePaths, and the names of one folder at a time.
[[nodiscard]] FolderScan scan_folders(std::span<const std::string> folders, ScanRules rules,
                                      FileSystem& files);

/// Returns a diagnostic about a whole folder or file.
[[nodiscard]] Diagnostic diagnostic_of_path(std::string path, const internal::ErrorKind& kind,
                                            std::string found);

}  // namespace sheaf::image_folder
