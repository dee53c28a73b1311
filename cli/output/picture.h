/// \file
/// Pictures of samples, made of characters for a terminal.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The colours that a terminal supports.
enum class Colors : std::uint8_t { none, indexed, full };

/// Returns the colours of the terminal by the environment: `full` if COLORTERM names 24 bits, else
/// `indexed`.
[[nodiscard]] Colors terminal_colors() noexcept;

/// Appends lines that show a sequence of a dense stream. Each line begins with a newline and
/// `indent` spaces. The picture depends on the samples:
/// - images of shape [H, W], or with 1, 3 or 4 channels in front or behind: the first sample;
/// - lists: a map of all samples from left to right, the first value of each at the bottom;
/// - single values: a curve.
/// The last line is a caption. Returns whether there is a picture. Small sequences have none,
/// because their numbers say as much.
///
/// Pre: `view` is a sequence of `stream`.
bool append_picture(std::string& out, const Stream& stream, const SequenceView& view,
                    std::size_t indent, Colors colors);

}  // namespace sheaf::cli
