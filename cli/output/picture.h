/// \file
/// Samples as pictures of characters, for people who look at a terminal.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The colours that a terminal has.
enum class Colors : std::uint8_t { none, indexed, full };

/// Returns what the environment says of the terminal: `full` where COLORTERM names 24 bits.
[[nodiscard]] Colors terminal_colors() noexcept;

/// Appends lines that show a sequence of a dense stream, each behind a newline and `indent` spaces:
/// - the first sample, where samples are images: [H, W], or 1, 3 or 4 channels in front or behind;
/// - a map of all samples, left to right, where a sample is a list: its first value at the bottom;
/// - a curve, where a sample is one value.
/// The last line says what the picture shows. Returns whether there is a picture: small sequences
/// have none, for their numbers say as much.
///
/// Pre: `view` is one of `stream`.
bool append_picture(std::string& out, const Stream& stream, const SequenceView& view,
                    std::size_t indent, Colors colors);

}  // namespace sheaf::cli
