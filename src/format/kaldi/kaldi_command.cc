// A command is compared word by word with the few forms found in data folders. No program is
// started.

#include "format/kaldi/kaldi_command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "format/kaldi/kaldi_archive.h"

namespace sheaf::kaldi {
namespace {

using WordSpan = std::span<const std::string_view>;

/// The words of a command.
struct Words {
  static constexpr std::size_t kMax = 10;

  std::array<std::string_view, kMax> words;
  std::size_t count = 0;
  bool is_good = true;  // not too many words, and all quotes end
};

Words words_of(std::string_view text) noexcept {
  Words all;
  for (text = trimmed(text); !text.empty() && all.is_good; text = trimmed(text)) {
    const char quote = text[0] == '\'' || text[0] == '"' ? text[0] : '\0';
    const std::size_t end =
        quote != '\0' ? text.find(quote, 1) : std::min(text.find_first_of(kSpace), text.size());
    if (end == std::string_view::npos || all.count == Words::kMax) {
      all.is_good = false;
      break;
    }
    all.words[all.count++] = quote != '\0' ? text.substr(1, end - 1) : text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + (quote != '\0' ? 1 : 0)));
  }
  return all;
}

// Returns whether a shell leaves a word unchanged, and a program takes it for a file.
bool is_plain(std::string_view word) noexcept {
  constexpr std::string_view kSpecial = "*?[]{}~$`\\'\"|&;<>()#!";
  return !word.empty() && word[0] != '-' && word.find_first_of(kSpecial) == std::string_view::npos;
}

// Recipes may name sph2pipe by its full path.
std::string_view name_of_program(std::string_view word) noexcept {
  return is_plain(word) ? word.substr(word.find_last_of('/') + 1) : std::string_view();
}

// Returns whether the options of gzip, gunzip or zcat decompress to standard output.
bool decompresses(std::string_view program, WordSpan options) noexcept {
  const auto is_option = [&](std::initializer_list<std::string_view> given) {
    return std::ranges::equal(options, given);
  };
  if (program == "zcat") return options.empty() || is_option({"-f"});
  if (program == "gunzip") return is_option({"-c"});
  return is_option({"-dc"}) || is_option({"-cd"}) || is_option({"-d", "-c"}) ||
         is_option({"-c", "-d"});
}

// Returns whether the options of flac decode to standard output, and do nothing else.
bool decodes_flac(WordSpan options) noexcept {
  bool has_decode = false;
  bool has_stdout = false;
  for (const std::string_view option : options) {
    if (option == "--decode") {
      has_decode = true;
    } else if (option == "--stdout") {
      has_stdout = true;
    } else if (option.size() > 1 && option[0] == '-' && option[1] != '-') {
      if (option.find_first_not_of("cds", 1) != std::string_view::npos) return false;
      has_decode = has_decode || option.find('d') != std::string_view::npos;
      has_stdout = has_stdout || option.find('c') != std::string_view::npos;
    } else if (option != "--silent" && option != "--totally-silent") {
      return false;
    }
  }
  return has_decode && has_stdout;
}

// Returns whether the options of sph2pipe make a WAV file. Sets the channel.
bool converts_sphere(WordSpan options, int& channel) noexcept {
  bool is_wav = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-p") continue;
    if (i + 1 == options.size()) return false;
    const std::string_view value = options[i + 1];
    if (options[i] == "-f" && (value == "wav" || value == "rif")) {
      is_wav = true;
    } else if (options[i] == "-c" && (value == "1" || value == "2") && channel == 0) {
      channel = value[0] - '0';
    } else {
      return false;
    }
    ++i;
  }
  return is_wav;
}

// Recognises "[-t TYPE] FILE -t wav -" after "sox". Returns the path, or an empty text.
std::string_view sox_file(WordSpan words) noexcept {
  constexpr std::array<std::string_view, 5> kTypes = {"wav", "flac", "sph", "ogg", "mp3"};
  if (words.size() == 6 && words[0] == "-t" && std::ranges::find(kTypes, words[1]) != kTypes.end())
    words = words.subspan(2);
  const bool is_wav = words.size() == 4 && words[1] == "-t" && words[2] == "wav" && words[3] == "-";
  return is_wav && is_plain(words[0]) ? words[0] : std::string_view();
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::optional<ListedCommand> parse_command(std::string_view command) noexcept {
  const Words all = words_of(command);
  if (!all.is_good || all.count < 2) return std::nullopt;
  const WordSpan words(all.words.data(), all.count);
  const std::string_view program = words[0];
  ListedCommand found{.path = words.back()};
  if (name_of_program(program) == "sox") {
    found.path = sox_file(words.subspan(1));
    found.decoder = Decoder::sox;
    return found.path.empty() ? std::nullopt : std::optional(found);
  }
  if (!is_plain(found.path)) return std::nullopt;
  const WordSpan options = words.subspan(1, words.size() - 2);
  bool is_known = false;
  if (program == "cat") {
    is_known = options.empty();
  } else if (program == "zcat" || program == "gunzip" || program == "gzip") {
    found.is_compressed = true;
    is_known = decompresses(program, options);
  } else if (name_of_program(program) == "flac") {
    found.decoder = Decoder::flac;
    is_known = decodes_flac(options);
  } else if (name_of_program(program) == "sph2pipe") {
    found.decoder = Decoder::sph2pipe;
    is_known = converts_sphere(options, found.channel);
  }
  return is_known ? std::optional(found) : std::nullopt;
}

}  // namespace sheaf::kaldi
