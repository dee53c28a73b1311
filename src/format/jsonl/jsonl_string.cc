#include "format/jsonl/jsonl_string.h"

#include <array>
#include <cstddef>

namespace sheaf::jsonl {
namespace {

bool needs_escape(char c) noexcept {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_escape(char c, internal::TextBuffer& buffer) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::size_t letter = kMeanings.find(c);
  const auto code = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    const std::array<char, 2> escape = {'\\', c};
    buffer.append({escape.data(), escape.size()});
  } else if (letter != std::string_view::npos) {
    const std::array<char, 2> escape = {'\\', kLetters[letter]};
    buffer.append({escape.data(), escape.size()});
  } else {
    const std::array<char, 6> escape = {
        '\\', 'u', '0', '0', kDigits[code >> 4], kDigits[code & 15]};
    buffer.append({escape.data(), escape.size()});
  }
}

}  // namespace

void append_json_string(std::string_view text, internal::TextBuffer& buffer) {
  buffer.append("\"");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    buffer.append(text.substr(begin, i - begin));
    append_escape(text[i], buffer);
    begin = i + 1;
  }
  buffer.append(text.substr(begin));
  buffer.append("\"");
}

}  // namespace sheaf::jsonl
