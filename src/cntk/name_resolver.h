// Names replaced by what they stand for.

#pragma once

#include <cstddef>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// A text in which names are replaced may be at most so large. All of them together may be at most
/// so large before and after; a text counts each time that a name in it cannot be replaced.
inline constexpr std::size_t kResolvedSizeMax = std::size_t{1} << 20U;
inline constexpr std::size_t kAllResolvedSizeMax = std::size_t{16} << 20U;

/// What a place where a text is put together counts as, in bytes, and a failed attempt.
inline constexpr std::size_t kPieceSize = 32;
inline constexpr std::size_t kFailedSize = 256;

/// Names that lead to names, at most so many.
inline constexpr std::size_t kNameDepthMax = 100;

/// `text` with its names replaced: by settings of the root, or else of `around` and the sections
/// around that (docs/config.md, "Names").
///
/// Throws: ConfigTextError where one is not defined, or leads back to itself.
[[nodiscard]] TextSlice resolve_names(ConfigState& state, const TextSlice& text,
                                      ConfigSectionNode* around);

/// The text of a value with its names replaced; it is remembered.
const TextSlice& resolved_text(ConfigState& state, ConfigValueNode& value);

/// The same of a value that is a section or an array, if it is one: names inside of brackets stay
/// for those who take it apart.
const TextSlice& opened_text(ConfigState& state, ConfigValueNode& value);

}  // namespace sheaf::internal
