// Kaldi's names for the inputs of a program (rspecifiers).

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::kaldi {

/// The forms that file_of_rspecifier() accepts, for messages.
inline constexpr std::string_view kRspecifiers =
    "scp:FILE, ark:FILE, ark:gunzip -c FILE | or ark:cat FILE |";

/// Returns the path of the archive or list that an rspecifier reads: "x.scp" for "scp:x.scp" and
/// "scp,p:x.scp", "x.gz" for "ark:gunzip -c x.gz |".
///
/// Errors: returns nothing for standard input, other commands, an offset or a range in a file, and
///         options that Kaldi does not know.
/// Source: docs/formats/kaldi.md.
[[nodiscard]] std::optional<std::string> file_of_rspecifier(std::string_view text);

}  // namespace sheaf::kaldi
