/// \file
/// A stream as the command line says it.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// How --stream is written.
inline constexpr const char* kStreamSyntax =
    "NAME:dense|sparse[:DIM][:alias=A][:mb][:dtype=T][:index=i64]";

/// Parse kStreamSyntax. DIM is a number, for dense streams also a shape as 8x8; `?` or none: it is
/// found in the data. In NAME and A, `\:` stands for a colon and `\\` for a backslash.
///
/// Throws: ConfigError that says which part is wrong.
[[nodiscard]] StreamOptions parse_stream_option(std::string_view text);

/// What to give to --stream for a stream that data have: the way back.
[[nodiscard]] std::string stream_option(const Stream& stream);

/// A word as a shell takes it for one.
[[nodiscard]] std::string quoted_for_shell(const std::string& text);

/// The options for several streams, to be pasted into a shell:
/// `--stream x:sparse:100 --stream 'a b:dense:3'`.
[[nodiscard]] std::string stream_options_for_shell(std::span<const Stream> streams);

}  // namespace sheaf::cli
