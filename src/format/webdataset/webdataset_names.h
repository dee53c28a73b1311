// The names of the entries of a shard.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf::webdataset {

/// The suffixes of encoded images. They make one stream if no sequence has two of them.
inline constexpr std::array<std::string_view, 4> kImageSuffixes = {"jpg", "jpeg", "png", "webp"};

/// The name of that stream, and the suffix of labels.
inline constexpr std::string_view kImageStream = "image";
inline constexpr std::string_view kLabelSuffix = "cls";

[[nodiscard]] bool is_image_suffix(std::string_view suffix) noexcept;

/// The kind of an entry, according to its name.
///
/// data:      a part of a sequence.
/// metadata:  not a part of a sequence: `__MACOSX/...`, `__index__`, `.DS_Store`.
/// no_suffix: a name without a dot, or without text after the dot.
enum class EntryKind : std::uint8_t { data, metadata, no_suffix };

/// The parts of "folder/0001.seg.png".
struct EntryName {
  EntryKind kind = EntryKind::metadata;
  std::string_view key = {};     // "folder/0001"
  std::string_view suffix = {};  // "seg.png", as in the archive
};

/// Splits the name of an entry at the first dot of its last part.
///
/// Lifetime: that of the name.
[[nodiscard]] EntryName split_entry_name(std::string_view name) noexcept;

/// Returns the text with ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

/// The suffix of a numbered frame, such as "0017.jpg".
struct FrameSuffix {
  std::int64_t number = 0;
  std::string_view suffix = {};  // "jpg"
};

/// Splits the suffix of a numbered frame: up to 18 digits, a dot and one of kImageSuffixes. Returns
/// nothing for any other suffix.
///
/// Lifetime: that of the suffix.
[[nodiscard]] std::optional<FrameSuffix> split_frame_suffix(std::string_view suffix) noexcept;

/// Returns the name of the stream of a suffix: "seg_png" for "seg.png".
[[nodiscard]] std::string stream_name_of(std::string_view suffix);

}  // namespace sheaf::webdataset
