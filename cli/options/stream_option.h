/// \file
/// A stream as the command line says it.

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// How --stream is written.
inline constexpr const char* kStreamSyntax =
    "NAME:dense|sparse[:DIM][:alias=A][:mb][:dtype=T][:index=i64]";

/// The types of values that options name, as NumPy names them.
inline constexpr std::array<std::pair<std::string_view, ElementType>, 8> kDtypeWords = {{
    {"float32", ElementType::f32},
    {"float64", ElementType::f64},
    {"float16", ElementType::f16},
    {"bfloat16", ElementType::bf16},
    {"int32", ElementType::i32},
    {"int64", ElementType::i64},
    {"uint8", ElementType::u8},
    {"uint16", ElementType::u16},
}};

/// Returns the type that a word of kDtypeWords names; nothing for another word.
[[nodiscard]] std::optional<ElementType> dtype_named(std::string_view word);

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
