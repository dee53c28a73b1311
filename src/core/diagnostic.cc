#include "sheaf/diagnostic.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace sheaf {
namespace {

/// Returns UTF-8 with escapes for unprintable characters, except the characters of `kept`, and for
/// bytes that are not UTF-8. Keys may have any bytes, and a byte 0 would end what().
std::string escaped(std::string_view bytes, std::string_view kept) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t size = internal::utf8_size(bytes);
    if (size == 0) {
      text += formatted("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
      bytes.remove_prefix(1);
      continue;
    }
    const std::string_view character = bytes.substr(0, size);
    const std::uint32_t code = internal::code_point(character);
    if (internal::is_shown(code) || kept.find(character) != std::string_view::npos) {
      text += character;
    } else {
      text += formatted("\\u{:04x}", code);
    }
    bytes.remove_prefix(size);
  }
  return text;
}

}  // namespace

std::string message(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.stream.empty()) text = formatted("stream \"{}\": ", diagnostic.stream);
  text += "expected " + diagnostic.expected;
  if (!diagnostic.found.empty()) text += ", found " + escaped(diagnostic.found, "");
  return text;
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.path;
  if (diagnostic.line > 0) text += formatted(":{}", diagnostic.line);
  if (diagnostic.column > 0) text += formatted(":{}", diagnostic.column);
  if (diagnostic.byte_offset == Diagnostic::kNoOffset) {
    if (diagnostic.line == 0 && !diagnostic.sequence_key.empty()) {
      text += ": sequence " + escaped(diagnostic.sequence_key, "");
    }
  } else if (diagnostic.line == 0) {
    text += formatted(": byte {}", diagnostic.byte_offset);
  }
  text += diagnostic.severity == Severity::warning ? ": warning: " : ": error: ";
  text += message(diagnostic);
  if (!diagnostic.code.empty()) text += formatted(" [{}]", diagnostic.code);
  if (!diagnostic.excerpt.empty()) {
    text += "\n  " + diagnostic.excerpt;
    if (diagnostic.excerpt_size > 0) {
      text += "\n  " + std::string(static_cast<std::size_t>(diagnostic.excerpt_begin), ' ') + '^' +
              std::string(static_cast<std::size_t>(diagnostic.excerpt_size - 1), '~');
    }
  }
  if (!diagnostic.hint.empty()) text += "\n  " + diagnostic.hint;
  return text;
}

std::string quoted(std::string_view bytes, std::int64_t size_max) {
  std::string text = "\"";
  for (const char byte : bytes.substr(0, static_cast<std::size_t>(size_max))) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '\t') {
      text += "\\t";
    } else if (byte == '\r') {
      text += "\\r";
    } else if (byte == '\n') {
      text += "\\n";
    } else if (byte == '"' || byte == '\\') {
      text += '\\';
      text += byte;
    } else if (code < 0x20 || code >= 0x7F) {
      text += formatted("\\x{:02x}", code);
    } else {
      text += byte;
    }
  }
  if (static_cast<std::int64_t>(bytes.size()) > size_max) text += "...";
  return text + '"';
}

std::string terminal_text(std::string_view bytes) { return escaped(bytes, "\n\t"); }

namespace {

/// Appends `bytes` in printable form: blanks for tabs, and '?' for unprintable characters. Returns
/// the number of appended characters.
std::int64_t append_printable(std::string& text, std::string_view bytes) {
  std::int64_t characters = 0;
  while (!bytes.empty()) {
    const std::size_t size = internal::utf8_size(bytes);
    if (size == 0 || !internal::is_shown(internal::code_point(bytes.substr(0, size)))) {
      text += bytes.front() == '\t' ? ' ' : '?';
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(std::max<std::size_t>(1, size));
    ++characters;
  }
  return characters;
}

}  // namespace

void set_excerpt(Diagnostic& diagnostic, std::string_view line, std::int64_t begin,
                 std::int64_t size) {
  constexpr std::int64_t kBefore = 40;
  constexpr std::int64_t kSizeMax = 100;
  const auto line_size = static_cast<std::int64_t>(line.size());
  const auto part = [line](std::int64_t from, std::int64_t to) {
    return line.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  };
  std::int64_t first = begin <= kBefore ? 0 : begin - kBefore;
  while (first > 0 && first < begin &&
         (static_cast<unsigned char>(line[static_cast<std::size_t>(first)]) & 0xC0U) == 0x80U) {
    ++first;  // do not begin in the middle of a character
  }
  const std::int64_t last = std::min(line_size, first + kSizeMax);
  const std::int64_t end = std::clamp(begin + size, begin, last);

  diagnostic.excerpt = first > 0 ? "..." : "";
  diagnostic.excerpt_begin = first > 0 ? 3 : 0;
  diagnostic.excerpt_begin += append_printable(diagnostic.excerpt, part(first, begin));
  diagnostic.excerpt_size =
      std::max(append_printable(diagnostic.excerpt, part(begin, end)), std::int64_t{1});
  append_printable(diagnostic.excerpt, part(end, last));
  if (last < line_size) diagnostic.excerpt += "...";
}

void Diagnostics::add(std::int64_t sequence, Diagnostic diagnostic) {
  Entry entry{
      .sequence = sequence, .byte_offset = diagnostic.byte_offset, .severity = diagnostic.severity};
  if (is_full() && (!entry.counts() || sequence == last_wrong_)) return;
  if (entry.counts()) last_wrong_ = sequence;
  if (!entry.counts()) ++warning_count_;
  if (wants_text(entry.severity)) {
    entry.description = static_cast<std::int32_t>(described_.size());
    if (!entry.counts()) ++described_warnings_;
    described_.push_back(std::move(diagnostic));
  }
  entries_.push_back(entry);
}

std::int64_t Diagnostics::memory_bytes() const noexcept {
  constexpr std::size_t kTextBytes = 512;  // rough size of the texts of a description
  return static_cast<std::int64_t>(entries_.capacity() * sizeof(Entry) +
                                   described_.size() * (sizeof(Diagnostic) + kTextBytes));
}

}  // namespace sheaf
