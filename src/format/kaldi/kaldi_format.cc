#include <array>
#include <memory>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/kaldi/kaldi_deserializer.h"
#include "format/kaldi/kaldi_options.h"

namespace sheaf {
namespace {

using std::string_view_literals::operator""sv;

// An archive of binary objects has a mark that nothing else has. A line of a list has a key, a
// blank, and a path; HTK's lists have an equals sign in front of any blank, or no blank.
Recognition recognize_kaldi(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\0"sv);
  if (first == std::string_view::npos) return Recognition::no;
  bytes.remove_prefix(first);
  const std::size_t blank = bytes.find_first_of(" \t\r\n");
  if (blank == std::string_view::npos || bytes.substr(0, blank).find('=') < blank) {
    return Recognition::no;
  }
  if (bytes.substr(blank + 1).starts_with("\0B"sv)) return Recognition::certain;
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const bool has_rest = line.find_first_not_of(" \t\r", blank) != std::string_view::npos;
  const bool is_possible = has_rest && line.find('\0') == std::string_view::npos;
  return is_possible ? Recognition::possible : Recognition::no;
}

}  // namespace

Format kaldi_format();

Format kaldi_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"ark", "scp"};
  return {.name = "kaldi",
          .description = "Kaldi archives, and lists of their objects",
          .extensions = kExtensions,
          .recognize = recognize_kaldi,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return kaldi::open_kaldi(request);
          },
          .read_options = kaldi::kReadOptions};
}

}  // namespace sheaf
