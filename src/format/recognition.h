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

/// Returns the formats that `options.format` names, or else that know the extension of `path`.
///
/// Throws:   ConfigError where `options.format` is no format.
/// Lifetime: that of `formats`.
[[nodiscard]] std::vector<const Format*> formats_of_name(std::string_view path,
                                                         const FormatOptions& options,
                                                         std::span<const Format> formats);

/// Returns the formats that a path may have: those of its name, or else, where no format is named
/// and the path leads to a folder, the format whose mark the folder has, or else the first format
/// that opens folders. Of a file whose name has no extension, the format that its first bytes
/// certainly have.
///
/// Throws:   ConfigError where `options.format` is no format; IoError where such a file cannot be
///           read.
/// Lifetime: that of `formats`.
[[nodiscard]] std::vector<const Format*> formats_of_path(const std::string& path,
                                                         const FormatOptions& options,
                                                         std::span<const Format> formats,
                                                         FileSystem& files);

/// Returns the format that `bytes` certainly have; null where no format has the mark, or several
/// do.
///
/// Lifetime: that of `formats`.
[[nodiscard]] const Format* certain_format(std::string_view bytes, std::span<const Format> formats);

/// Returns words about the formats that fit `bytes`: "; its first bytes are those of cbf (CNTK
/// binary format)"; of compressed bytes, how to read them. Nothing where neither fits.
[[nodiscard]] std::string recognized_hint(std::string_view bytes, std::span<const Format> formats);

}  // namespace sheaf::internal
