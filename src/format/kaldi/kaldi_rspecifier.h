// Kaldi's names for what a program reads (rspecifiers).

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::kaldi {

/// What file_of_rspecifier() takes, for messages.
inline constexpr std::string_view kRspecifiers =
    "scp:FILE, ark:FILE, ark:gunzip -c FILE | or ark:cat FILE |";

/// Returns the path of the archive or list that an rspecifier reads: "x.scp" of "scp:x.scp" or of
/// "scp,p:x.scp", "x.gz" of "ark:gunzip -c x.gz |".
///
/// Errors: no path for standard input, other commands, a place or a range in a file, and options
///         that Kaldi does not know.
/// Source: docs/formats/kaldi.md.
[[nodiscard]] std::optional<std::string> file_of_rspecifier(std::string_view text);

}  // namespace sheaf::kaldi
