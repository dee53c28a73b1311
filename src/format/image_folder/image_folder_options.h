// Options of folders of images.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/images/image_streams.h"

namespace sheaf::image_folder {

inline constexpr FormatOption kLabelsOption = internal::image_labels_option("image_folder.labels");
inline constexpr FormatOption kClassesOption =
    internal::image_classes_option("image_folder.classes");
inline constexpr FormatOption kHeadersOption =
    internal::image_headers_option("image_folder.headers");
inline constexpr std::array<std::string_view, 2> kClassNamesValues = {"", "FILE"};
inline constexpr FormatOption kClassNamesOption = {
    .name = "image_folder.class_names",
    .values = kClassNamesValues,
    .help =
        "the names of the classes, a line each, which gives the first class the id 0; without "
        "a file, classes are sorted by name",
    .takes_any = true,
    .is_path = true};
inline constexpr std::array<std::string_view, 2> kFramesValues = {"false", "true"};
inline constexpr FormatOption kFramesOption = {
    "image_folder.frames", kFramesValues,
    "whether the numbered images of a folder, such as clip/000.jpg and clip/001.jpg, are the "
    "samples of one sequence"};
inline constexpr std::array kReadOptions = {kLabelsOption, kClassesOption, kClassNamesOption,
                                            kHeadersOption, kFramesOption};

/// The options that are known before folders are read.
struct ReadOptions {
  std::string class_names_path;  // if empty, classes are sorted by name
  bool reads_headers = false;
  bool joins_frames = false;
  bool has_text_keys = true;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
  IndexOptions index{};
};

/// The approximate size of chunks if the order depends on the chunks. Folders lie one after the
/// other, and small chunks mix their classes better.
inline constexpr std::int64_t kOwnChunkBytes = std::int64_t{1} << 20;

/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

/// Returns the streams that the options select. `class_count` is the number of classes found.
///
/// Throws: ConfigError.
[[nodiscard]] internal::ImageStreams streams_of(const FormatOptions& options,
                                                std::int64_t class_count);

}  // namespace sheaf::image_folder
