// Options of tar shards, and the streams that are read.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::webdataset {

inline constexpr std::array<std::string_view, 2> kLabelsValues = {"ids", "one_hot"};
inline constexpr FormatOption kLabelsOption = {
    "webdataset.labels", kLabelsValues,
    "what entries .cls become: dense numbers, or sparse vectors with a single 1"};
inline constexpr std::array<std::string_view, 2> kClassesValues = {"unknown", "COUNT"};
inline constexpr FormatOption kClassesOption = {
    "webdataset.classes", kClassesValues,
    "how many classes there are: numbers of entries .cls are below the count", true};
inline constexpr std::array<std::string_view, 2> kFramesValues = {"false", "true"};
inline constexpr FormatOption kFramesOption = {
    "webdataset.frames", kFramesValues,
    "whether numbered images, such as clip.000.jpg and clip.001.jpg, are the samples of one "
    "sequence"};
inline constexpr std::array<std::string_view, 2> kHeadersValues = {"none", "read"};
inline constexpr FormatOption kHeadersOption = {
    "webdataset.headers", kHeadersValues,
    "read: read the extents of all images, so that a sequence costs its pixels, not its bytes"};
inline constexpr std::array kReadOptions = {kLabelsOption, kClassesOption, kFramesOption,
                                            kHeadersOption};

/// The form in which a stream delivers the bytes of its entries.
enum class StreamContent : std::uint8_t { bytes, ids, one_hot };

/// A stream, and the entries that belong to it.
struct EntryStream {
  Stream stream;
  StreamContent content = StreamContent::bytes;
  std::vector<std::string> suffixes;  // a sequence has an entry of one of them
  std::int64_t class_count = 0;       // 0 means any number
  bool has_frames = false;            // a sequence has any number of entries
};

/// Returns whether entries with a suffix belong to a stream. A stream may name a suffix by the name
/// of its stream, such as seg_png for seg.png.
[[nodiscard]] bool takes(const EntryStream& stream, std::string_view suffix);

/// The options, checked as far as possible without data.
struct ReadOptions {
  std::vector<EntryStream> declared;  // empty: all suffixes in the data
  StreamContent labels = StreamContent::ids;
  std::int64_t class_count = 0;
  bool joins_frames = false;
  bool reads_images = false;  // reads the extents of images
  bool has_text_keys = true;
  bool allows_missing = false;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
};

/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

/// Returns a stream for each suffix, in their order. The suffixes of images make one stream unless
/// `has_two_images`.
///
/// Throws: ConfigError if two suffixes would have streams of the same name.
[[nodiscard]] std::vector<EntryStream> found_streams(const ReadOptions& options,
                                                     std::span<const std::string> suffixes,
                                                     bool has_two_images);

}  // namespace sheaf::webdataset
