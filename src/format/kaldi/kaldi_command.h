// The commands in lists that sheaf carries out itself.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::kaldi {

/// A program that decodes a recording.
enum class Decoder : std::uint8_t { none, flac, sph2pipe, sox };

/// The effect of a command in a list.
struct ListedCommand {
  std::string_view path;
  bool is_compressed = false;  // the command decompresses the file
  Decoder decoder = Decoder::none;
  int channel = 0;  // the channel that the command picks, counted from 1; 0 means all
};

/// Returns a text without leading and trailing blanks.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Recognises a command, without its bar: `gunzip -c`, `gzip -dc`, `zcat` and `cat` of a file;
/// `flac -c -d`, `sph2pipe -f wav -p -c N`, and `sox FILE -t wav -` without effects. Returns
/// nothing for any other command, and for words that a shell would change.
///
/// Lifetime: the path is valid as long as the command.
/// Source:   docs/formats/kaldi.md.
[[nodiscard]] std::optional<ListedCommand> parse_command(std::string_view command) noexcept;

}  // namespace sheaf::kaldi
