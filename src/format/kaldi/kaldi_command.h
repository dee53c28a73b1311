// Commands of lists, which sheaf does itself.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sheaf::kaldi {

/// A program that decodes a recording.
enum class Decoder : std::uint8_t { none, flac, sph2pipe, sox };

/// What a command of a list does with its file.
struct ListedCommand {
  std::string_view path;
  bool is_compressed = false;  // the command decompresses the file
  Decoder decoder = Decoder::none;
  int channel = 0;  // that the command picks, from 1; 0 means all
};

/// Returns a text without the blanks at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// Recognises a command, without its bar: `gunzip -c`, `gzip -dc`, `zcat` and `cat` of a file;
/// `flac -c -d`, `sph2pipe -f wav -p -c N`, and `sox FILE -t wav -` without effects. Returns
/// nothing for any other command, and for words that a shell would change.
///
/// Lifetime: of the path that of the command.
/// Source:   docs/formats/kaldi.md.
[[nodiscard]] std::optional<ListedCommand> parse_command(std::string_view command) noexcept;

}  // namespace sheaf::kaldi
