#include "cntk/located_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace sheaf::internal {

void LocatedText::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) return;
  // Text that was written directly behind the last piece becomes a part of that piece.
  if (pieces_.empty() || pieces_.back().origin_at(bytes_.size()) != origin) {
    pieces_.push_back({.begin = bytes_.size(), .origin = origin});
  }
  bytes_ += bytes;
}

void LocatedText::append(const LocatedText& other, std::size_t begin, std::size_t end,
                         std::int32_t use) {
  const auto behind = [](std::size_t offset, const Piece& piece) { return offset < piece.begin; };
  auto piece = std::upper_bound(other.pieces_.begin(), other.pieces_.end(), begin, behind);
  while (begin < end) {
    const std::size_t next = piece == other.pieces_.end() ? end : std::min(piece->begin, end);
    Origin origin = other.origin(begin);
    if (use != Origin::kNone) origin.use = use;
    append(other.view().substr(begin, next - begin), origin);
    begin = next;
    if (piece != other.pieces_.end()) ++piece;
  }
}

Origin LocatedText::origin(std::size_t offset) const {
  const auto behind = [](std::size_t at, const Piece& piece) { return at < piece.begin; };
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), offset, behind);
  if (next == pieces_.begin()) return pieces_.empty() ? Origin{} : pieces_.front().origin;
  return std::prev(next)->origin_at(offset);
}

TextSlice trimmed(const TextSlice& text) {
  const std::string_view bytes = text.view();
  const std::size_t begin = bytes.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return text.part(bytes.size(), bytes.size());
  return text.part(begin, bytes.find_last_not_of(" \t") + 1);
}

std::int32_t Sources::add(std::string path, std::string text, std::int64_t first_line) {
  ConfigSource source{.path = std::move(path), .text = std::move(text), .first_line = first_line};
  source.line_begins.push_back(0);
  for (std::size_t i = 0; i < source.text.size(); ++i) {
    if (source.text[i] == '\n') source.line_begins.push_back(i + 1);
  }
  sources_.push_back(std::move(source));
  return static_cast<std::int32_t>(sources_.size()) - 1;
}

std::int32_t Sources::add_use(NameUse use) {
  uses_.push_back(std::move(use));
  return static_cast<std::int32_t>(uses_.size()) - 1;
}

ConfigLocation Sources::location(Origin origin) const {
  if (origin.source == Origin::kNone) return {};
  const ConfigSource& source = (*this)[origin.source];
  const auto next =
      std::upper_bound(source.line_begins.begin(), source.line_begins.end(), origin.offset);
  const auto line = next - source.line_begins.begin();
  return {.path = source.path,
          .line = source.first_line + line - 1,
          .column = static_cast<std::int64_t>(origin.offset - *std::prev(next)) + 1,
          .byte_offset = static_cast<std::int64_t>(origin.offset)};
}

Diagnostic Sources::diagnostic(Origin origin, std::size_t size, std::string_view code,
                               std::string_view expected, std::string_view found,
                               std::string_view hint) const {
  const ConfigLocation location = this->location(origin);
  Diagnostic diagnostic{.path = location.path,
                        .line = location.line,
                        .column = location.column,
                        .byte_offset = location.byte_offset,
                        .code = "config-" + std::string(code),
                        .expected = std::string(expected),
                        .found = std::string(found),
                        .hint = std::string(hint)};
  if (origin.source == Origin::kNone) return diagnostic;
  const ConfigSource& source = (*this)[origin.source];
  const auto column = static_cast<std::size_t>(location.column - 1);
  const auto number = static_cast<std::size_t>(location.line - source.first_line);
  const std::size_t line_begin = source.line_begins[number];
  const bool is_last = number + 1 == source.line_begins.size();
  const std::size_t line_end = is_last ? source.text.size() : source.line_begins[number + 1] - 1;
  std::string_view line = std::string_view(source.text).substr(line_begin, line_end - line_begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t begin = std::min(column, line.size());
  set_excerpt(diagnostic, line, static_cast<std::int64_t>(begin),
              static_cast<std::int64_t>(std::min(size, line.size() - begin)));
  for (std::int32_t use = origin.use; use != Origin::kNone;) {
    const NameUse& name = uses_[static_cast<std::size_t>(use)];
    if (!diagnostic.hint.empty()) diagnostic.hint += "\n  ";
    diagnostic.hint += formatted("it stands for ${}$ at {}", name.name,
                                 location_text(this->location(name.origin)));
    use = name.origin.use;
  }
  return diagnostic;
}

std::string location_text(const ConfigLocation& location) {
  return location.line == 0 ? location.path
                            : formatted("{}:{}:{}", location.path, location.line, location.column);
}

}  // namespace sheaf::internal
