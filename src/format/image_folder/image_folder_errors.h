// The errors in folders of images.

#pragma once

#include "core/error_kind.h"

namespace sheaf::image_folder {

using internal::ErrorKind;

// Errors of the folders as a whole.
inline constexpr ErrorKind kEmpty{"image_folder-empty",
                                  "images such as CLASS/001.jpg, with the extension .jpg, .jpeg, "
                                  ".png or .webp"};
inline constexpr ErrorKind kNoClass{"image_folder-no-class",
                                    "each image in the folder of a class, such as CLASS/001.jpg"};
inline constexpr ErrorKind kClassCount{"image_folder-class-count",
                                       "as many folders of classes as image_folder.classes says"};
inline constexpr ErrorKind kOtherClasses{"image_folder-other-classes",
                                         "the folders of classes that the first folder has"};
inline constexpr ErrorKind kUnknownClass{"image_folder-unknown-class",
                                         "a name of the file image_folder.class_names"};

inline constexpr ErrorKind kNoClip{"image_folder-no-clip",
                                   "each image in the folder of a clip, such as "
                                   "CLASS/CLIP/001.jpg, or CLIP/001.jpg where there are no labels"};

// Errors in the file with the names of classes.
inline constexpr ErrorKind kNoNames{"image_folder-no-names", "the name of a class in each line"};
inline constexpr ErrorKind kRepeatedName{"image_folder-repeated-name",
                                         "the name of a class that was not there yet"};
inline constexpr ErrorKind kManyNames{"image_folder-many-names", "at most 2^31-1 classes"};

// Errors of an image.
inline constexpr ErrorKind kNoBytes{"image_folder-no-bytes", "an image of at least one byte"};

// Errors of a frame.
inline constexpr ErrorKind kFrameNumber{"image_folder-frame-number",
                                        "a number of up to 18 digits at the end of the name"};
inline constexpr ErrorKind kRepeatedFrame{"image_folder-repeated-frame",
                                          "a number that no other frame of the folder has"};

// Warnings.
inline constexpr ErrorKind kOtherFiles{"image_folder-other-files",
                                       "files with the extension .jpg, .jpeg, .png or .webp"};
inline constexpr ErrorKind kIndexFile{"image_folder-index-file", "an index file"};
inline constexpr ErrorKind kEmptyClass{"image_folder-empty-class",
                                       "images in each folder of a class"};

}  // namespace sheaf::image_folder
