// Stores the paths and sizes of very many images.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sheaf/extend/packed_ints.h"

namespace sheaf::image_folder {

/// The images of the *roots* of a data set, which are folders, in their order. Paths begin at the
/// root.
///
/// Cost: the bytes of the name and about 6 more for each image.
class ImagePaths {
 public:
  class Builder;

  [[nodiscard]] std::int64_t count() const noexcept { return sizes_.size(); }

  /// Pre: 0 <= image < count(). The same holds for the next functions.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t image) const noexcept { return sizes_[image]; }

  /// Returns the path of an image, such as "cats/001.jpg".
  [[nodiscard]] std::string path(std::int64_t image) const;

  /// Returns the size of path().
  [[nodiscard]] std::int64_t path_size(std::int64_t image) const noexcept;

  /// Returns the number of the folder that holds an image.
  [[nodiscard]] std::int64_t folder(std::int64_t image) const noexcept;

  /// Returns the number of folders that hold images. Folders of different roots are different.
  [[nodiscard]] std::int64_t folder_count() const noexcept { return folder_ends_.size(); }

  /// Returns the path of a folder with a slash at the end, or an empty text for a root.
  ///
  /// Pre:      0 <= folder < folder_count(). The same holds for the next function.
  /// Lifetime: that of the ImagePaths.
  [[nodiscard]] std::string_view folder_path(std::int64_t folder) const noexcept;
  [[nodiscard]] std::int64_t root(std::int64_t folder) const noexcept {
    return folder_roots_[folder];
  }

  /// Returns the name of an image, such as "001.jpg".
  ///
  /// Lifetime: that of the ImagePaths.
  [[nodiscard]] std::string_view name(std::int64_t image) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  PackedInts sizes_;
  std::string names_;  // of all images
  PackedInts name_ends_;
  std::string folders_;  // the paths of all folders
  PackedInts folder_ends_;
  PackedInts folder_roots_;
  PackedInts run_begins_;   // first image of each run of images in the same folder
  PackedInts run_folders_;  // folder of each run
};

/// Appends images, root after root.
class ImagePaths::Builder {
 public:
  /// Ends the current root, if any, and begins the next one.
  void begin_root();

  /// Pre: begin_root() was called.
  void push_back(std::string_view path, std::int64_t size_bytes);

  [[nodiscard]] std::int64_t count() const noexcept { return sizes_.size(); }

  /// Returns the images so far. The builder must not be used afterwards.
  [[nodiscard]] ImagePaths finish();

 private:
  ImagePaths paths_;
  std::int64_t root_ = -1;
  std::unordered_map<std::string, std::int64_t> folder_numbers_;  // folders of the root
  std::string folder_;                                            // of the last image
  std::int64_t folder_count_ = 0;
  bool has_run_ = false;  // whether the last image belongs to the root
  PackedInts::Builder sizes_;
  PackedInts::Builder name_ends_;
  PackedInts::Builder folder_ends_;
  PackedInts::Builder folder_roots_;
  PackedInts::Builder run_begins_;
  PackedInts::Builder run_folders_;
};

}  // namespace sheaf::image_folder
