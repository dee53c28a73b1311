// The paths and sizes of very many images.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sheaf/extend/packed_ints.h"

namespace sheaf::image_folder {

/// The images of some folders, which are the *roots* of a data set, in their order. Paths begin at
/// the root.
///
/// Cost: the bytes of the name and about 6 more for each image.
class ImagePaths {
 public:
  class Builder;

  [[nodiscard]] std::int64_t count() const noexcept { return sizes_.size(); }

  /// Pre: 0 <= image < count(), here and below.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t image) const noexcept { return sizes_[image]; }

  /// Returns "cats/001.jpg".
  [[nodiscard]] std::string path(std::int64_t image) const;

  /// Returns the size of path().
  [[nodiscard]] std::int64_t path_size(std::int64_t image) const noexcept;

  /// Returns the number of the folder that holds an image.
  [[nodiscard]] std::int64_t folder(std::int64_t image) const noexcept;

  /// Returns how many folders hold images. Folders of different roots differ.
  [[nodiscard]] std::int64_t folder_count() const noexcept { return folder_ends_.size(); }

  /// Returns the path of a folder with a slash at the end; an empty text for a root.
  ///
  /// Pre:      0 <= folder < folder_count(), here and below.
  /// Lifetime: that of the object.
  [[nodiscard]] std::string_view folder_path(std::int64_t folder) const noexcept;
  [[nodiscard]] std::int64_t root(std::int64_t folder) const noexcept {
    return folder_roots_[folder];
  }

  /// Returns "001.jpg".
  ///
  /// Lifetime: that of the object.
  [[nodiscard]] std::string_view name(std::int64_t image) const noexcept;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  PackedInts sizes_;
  std::string names_;  // of all images
  PackedInts name_ends_;
  std::string folders_;  // the paths of all folders
  PackedInts folder_ends_;
  PackedInts folder_roots_;
  PackedInts run_begins_;   // images of one folder that follow each other: the first of them
  PackedInts run_folders_;  // their folder
};

/// Appends images, root after root.
class ImagePaths::Builder {
 public:
  /// Ends the root so far, if any, and begins the next one.
  void begin_root();

  /// Pre: begin_root() was called.
  void push_back(std::string_view path, std::int64_t size_bytes);

  [[nodiscard]] std::int64_t count() const noexcept { return sizes_.size(); }

  /// Returns the images so far. The builder is not used afterwards.
  [[nodiscard]] ImagePaths finish();

 private:
  ImagePaths paths_;
  std::int64_t root_ = -1;
  std::unordered_map<std::string, std::int64_t> folder_numbers_;  // of the root
  std::string folder_;                                            // of the last image
  std::int64_t folder_count_ = 0;
  bool has_run_ = false;  // the last image is one of the root
  PackedInts::Builder sizes_;
  PackedInts::Builder name_ends_;
  PackedInts::Builder folder_ends_;
  PackedInts::Builder folder_roots_;
  PackedInts::Builder run_begins_;
  PackedInts::Builder run_folders_;
};

}  // namespace sheaf::image_folder
