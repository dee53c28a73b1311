// One walk over all folders.

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

/// Returns whether the name of a file ends with .jpg, .jpeg, .png or .webp, in letters of any case.
[[nodiscard]] bool is_image_name(std::string_view name) noexcept;

/// Files or folders of one kind: how many there are, and the first of them.
struct CountedPaths {
  std::int64_t count = 0;
  std::string first;
};

/// A frame with a wrong name. `other` is the first frame with the same number; kNoFrame where the
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
  Fingerprint listing;  // the bytes of all images; a hash of their paths, sizes and times of change
};

/// What a scan looks for besides images.
struct ScanRules {
  std::vector<std::string> class_names{};  // of a file; empty: classes are sorted by name
  bool joins_frames = false;               // the images of a folder are one sequence
};

/// What the folders hold. The classes of a root are the folders directly below the root.
struct FolderScan {
  static constexpr std::int32_t kNoClass = -1;

  std::vector<std::string> roots;       // without a slash at the end
  std::vector<RootImages> root_images;  // of each root
  ImagePaths paths;
  std::vector<std::string> class_names;      // by the ids of the classes
  std::vector<std::int32_t> folder_classes;  // the id of the class of each folder of images
  CountedPaths without_class;                // images that lie directly in a root
  CountedPaths without_clip;                 // images that lie directly in the folder of a class
  CountedPaths other_files;                  // which are passed over
  CountedPaths empty_classes;
  std::optional<Diagnostic> class_fault;  // why there are no labels
  std::string identity;                   // equal for equal paths and sizes
  bool joins_frames = false;              // a sequence is a folder, else an image
  PackedInts frame_begins;                // of each folder the first image, and the end of all
  std::vector<FrameFault> frame_faults;   // ascending by image

  /// Returns the path of an image as the user can open the image.
  [[nodiscard]] std::string file_path(std::int64_t image) const;

  [[nodiscard]] std::int64_t sequence_count() const noexcept {
    return joins_frames ? frame_begins.size() - 1 : paths.count();
  }

  /// Returns the number of the first image of a sequence. The images of all sequences lie one
  /// behind the other.
  ///
  /// Pre: 0 <= sequence <= sequence_count().
  [[nodiscard]] std::int64_t first_image(std::int64_t sequence) const noexcept {
    return joins_frames ? frame_begins[sequence] : sequence;
  }

  /// Pre: 0 <= sequence < sequence_count(), here and below.
  [[nodiscard]] std::int64_t image_count(std::int64_t sequence) const noexcept {
    return first_image(sequence + 1) - first_image(sequence);
  }
  [[nodiscard]] std::int64_t size_bytes(std::int64_t sequence) const noexcept;

  /// Returns the path of a sequence as the user knows it: that of the image, or of the folder.
  [[nodiscard]] std::string sequence_path(std::int64_t sequence) const;

  /// Returns the key of a sequence: the path from the root on. Where there are several roots, the
  /// path of the root comes first.
  [[nodiscard]] std::string key_text(std::int64_t sequence) const;

  /// Returns the size of key_text().
  [[nodiscard]] std::int64_t key_size(std::int64_t sequence) const noexcept;

  [[nodiscard]] std::int32_t class_id(std::int64_t sequence) const noexcept {
    return folder_classes[static_cast<std::size_t>(paths.folder(first_image(sequence)))];
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Walks over all folders. Without names of classes, classes are sorted by name, byte by byte.
///
/// Throws: ConfigError where a folder is named twice; DataError where a folder holds no image;
///         IoError.
/// Cost:   as ImagePaths, and the names of one folder at a time.
[[nodiscard]] FolderScan scan_folders(std::span<const std::string> folders, ScanRules rules,
                                      FileSystem& files);

/// Returns a diagnostic about a folder or a file as a whole.
[[nodiscard]] Diagnostic diagnostic_of_path(std::string path, const internal::ErrorKind& kind,
                                            std::string found);

}  // namespace sheaf::image_folder
