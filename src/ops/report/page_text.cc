#include "ops/report/page_text.h"

#include <cmath>
#include <cstddef>

#include "sheaf/extend/size_text.h"

#include "base/text.h"
#include "base/utf8.h"

namespace sheaf::internal::page {
namespace {

constexpr int kCodeWidth = 8;  // length of "[U+202E]"

// Tells whether a character is invisible. Adds characters to the ones of is_shown().
bool is_hidden(std::uint32_t code) {
  return !is_shown(code) || code == 0x00AD || code == 0x200B ||
         (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF ||
         (code >= 0xFFF9 && code <= 0xFFFB) || (code & 0xFFFEU) == 0xFFFEU ||
         (code >= 0xE0000 && code <= 0xE007F);
}

enum class CodeStyle { brackets, frame };

class TextEscaper {
 public:
  TextEscaper(CodeStyle style, bool keeps_lines) : style_(style), keeps_lines_(keeps_lines) {}

  std::string run(std::string_view text, int shown_max) {
    int shown = 0;
    while (!text.empty()) {
      const std::size_t size = utf8_size(text);
      const std::string_view character = text.substr(0, size == 0 ? 1 : size);
      const std::uint32_t code = size == 0 ? 0xFFFD : code_point(character);
      const bool is_code = size == 0 || (is_hidden(code) && !is_kept(code));
      shown += is_code ? kCodeWidth : 1;
      if (shown > shown_max) return out_ + "&hellip;";
      is_code ? append_code(code) : append_character(character);
      text.remove_prefix(character.size());
    }
    return out_;
  }

 private:
  [[nodiscard]] bool is_kept(std::uint32_t code) const {
    return keeps_lines_ && (code == '\n' || code == '\t');
  }

  void append_code(std::uint32_t code) {
    out_ += style_ == CodeStyle::frame ? formatted("<i class=\"u\">U+{:04X}</i>", code)
                                       : formatted("[U+{:04X}]", code);
  }

  void append_character(std::string_view character) {
    switch (character.front()) {
      case '&':
        out_ += "&amp;";
        return;
      case '<':
        out_ += "&lt;";
        return;
      case '>':
        out_ += "&gt;";
        return;
      case '"':
        out_ += "&quot;";
        return;
      case '\'':
        out_ += "&#39;";
        return;
      default:
        out_ += character;
    }
  }

  CodeStyle style_;
  bool keeps_lines_;
  std::string out_;
};

// Drops the useless zero in "1e-07".
std::string short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  if (text[e + 1] == '+') text.erase(e + 1, 1);
  const std::size_t digits = text[e + 1] == '-' ? e + 2 : e + 1;
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}

}  // namespace

std::string plain(std::string_view text, int shown_max) {
  return TextEscaper(CodeStyle::brackets, false).run(text, shown_max);
}

std::string marked(std::string_view text, int shown_max) {
  return "<bdi>" + TextEscaper(CodeStyle::frame, false).run(text, shown_max) + "</bdi>";
}

std::string marked_lines(std::string_view text, int shown_max) {
  return "<bdi>" + TextEscaper(CodeStyle::frame, true).run(text, shown_max) + "</bdi>";
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::ptrdiff_t first = count < 0 ? 2 : 1;
  for (std::ptrdiff_t at = std::ssize(text) - 3; at >= first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return formatted("{} {}", count_text(count), count == 1 ? one : many);
}

std::string share_text(double share) {
  const double percent = 100 * share;
  if (!std::isfinite(percent)) return "?";
  if (share > 0 && percent < 0.1) return "&lt;0.1&nbsp;%";
  if (share < 1 && percent > 99.9) return "&gt;99.9&nbsp;%";
  std::string text = formatted("{:.1f}", percent);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + "&nbsp;%";
}

std::string value_text(double value) {
  constexpr double kWholeMax = 1e9;
  constexpr double kSmall = 1e-4;
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "?";
  if (size < kWholeMax && (size >= 1000 || value == std::trunc(value))) {
    return count_text(std::llround(value));
  }
  if (size >= kSmall && size < 1000) return formatted("{:.4g}", value);
  return short_exponent(formatted("{:.3g}", value));
}

std::string bytes_text(double bytes) {
  std::string text = size_text(bytes);
  const std::size_t blank = text.find(' ');
  return text.replace(blank, 1, "&nbsp;");
}

}  // namespace sheaf::internal::page
