/// \file
/// The syntax of a stream on the command line.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The syntax of --stream.
inline constexpr const char* kStreamSyntax =
    "NAME:dense|sparse[:DIM][:alias=A][:mb][:dtype=T][:index=i64]";

/// Parses kStreamSyntax. DIM is a number, or a shape such as 8x8 for a dense stream. Without DIM,
/// or with `?`, opening the data finds it. In NAME and A, `\:` is a colon and `\\` a backslash.
///
/// Throws: ConfigError that says which part is wrong.
[[nodiscard]] StreamOptions parse_stream_option(std::string_view text);

/// Returns the text of --stream that declares a stream.
[[nodiscard]] std::string stream_option(const Stream& stream);

/// Returns a text quoted as one word of a shell.
[[nodiscard]] std::string quoted_for_shell(const std::string& text);

/// Returns the options that declare several streams, to paste into a shell:
/// `--stream x:sparse:100 --stream 'a b:dense:3'`.
[[nodiscard]] std::string stream_options_for_shell(std::span<const Stream> streams);

}  // namespace sheaf::cli
