// What the first bytes of a file say about the formats.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

namespace sheaf::internal {

/// Returns the first bytes of a file, as Format::recognize() takes them.
///
/// Throws: IoError.
[[nodiscard]] std::string first_bytes(const ByteSource& source);

/// Returns the format that `options.format` names, or else the formats that know the extension of
/// `path`.
///
/// Throws:   ConfigError if `options.format` is not a format.
/// Lifetime: that of `formats`.
[[nodiscard]] std::vector<const Format*> formats_of_name(std::string_view path,
                                                         const FormatOptions& options,
                                                         std::span<const Format> formats);

/// Returns the formats that a path may have:
///
/// - the formats of its name (formats_of_name()), except for a folder without `options.format`;
/// - for such a folder, the format whose mark is in the folder, or else the first format that opens
///   folders;
/// - for a file whose name has no extension, the format that the first bytes certainly have.
///
/// Throws:   ConfigError if `options.format` is not a format; IoError if such a file cannot be
///           read.
/// Lifetime: that of `formats`.
[[nodiscard]] std::vector<const Format*> formats_of_path(const std::string& path,
                                                         const FormatOptions& options,
                                                         std::span<const Format> formats,
                                                         FileSystem& files);

/// Returns the format that `bytes` certainly have. Returns null if no format has the mark, or if
/// several do.
///
/// Lifetime: that of `formats`.
[[nodiscard]] const Format* certain_format(std::string_view bytes, std::span<const Format> formats);

/// Returns a hint that names the formats that fit `bytes`, such as "; its first bytes are those of
/// cbf (CNTK binary format)". For compressed bytes the hint says how to read them. Returns an empty
/// text if nothing fits.
[[nodiscard]] std::string recognized_hint(std::string_view bytes, std::span<const Format> formats);

}  // namespace sheaf::internal
