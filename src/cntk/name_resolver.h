// Replaces names by their values.

#pragma once

#include <cstddef>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// The largest size of a text in which names are replaced, and of all such texts together, both
/// before and after. A text counts each time that a name in it cannot be replaced.
inline constexpr std::size_t kResolvedSizeMax = std::size_t{1} << 20U;
inline constexpr std::size_t kAllResolvedSizeMax = std::size_t{16} << 20U;

/// The costs of a piece of an assembled text, and of a failed attempt, in bytes.
inline constexpr std::size_t kPieceSize = 32;
inline constexpr std::size_t kFailedSize = 256;

/// The longest chain of names that lead to names.
inline constexpr std::size_t kNameDepthMax = 100;

/// Returns `text` with its names replaced by settings of the root, or else of `around` and the
/// sections around it (docs/config.md, "Names").
///
/// Throws: ConfigTextError if a name is not defined, or leads back to itself.
[[nodiscard]] TextSlice resolve_names(ConfigState& state, const TextSlice& text,
                                      ConfigSectionNode* around);

/// Returns the text of a value with its names replaced. Remembers the result.
const TextSlice& resolved_text(ConfigState& state, ConfigValueNode& value);

/// Does the same for a value that may be a section or an array. Keeps the names inside of brackets,
/// which are replaced when the value is parsed.
const TextSlice& opened_text(ConfigState& state, ConfigValueNode& value);

}  // namespace sheaf::internal
