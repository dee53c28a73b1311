#include "cntk/comments.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "cntk/record_splitter.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

/// A character that looks like a blank but is none.
struct StrangeBlank {
  std::string_view bytes;
  std::string_view name;
};

constexpr std::array<StrangeBlank, 23> kStrangeBlanks = {{
    {"\x0B", "U+000B"},         {"\x0C", "U+000C"},         {"\xC2\x85", "U+0085"},
    {"\xC2\xA0", "U+00A0"},     {"\xE1\x9A\x80", "U+1680"}, {"\xE2\x80\x80", "U+2000"},
    {"\xE2\x80\x81", "U+2001"}, {"\xE2\x80\x82", "U+2002"}, {"\xE2\x80\x83", "U+2003"},
    {"\xE2\x80\x84", "U+2004"}, {"\xE2\x80\x85", "U+2005"}, {"\xE2\x80\x86", "U+2006"},
    {"\xE2\x80\x87", "U+2007"}, {"\xE2\x80\x88", "U+2008"}, {"\xE2\x80\x89", "U+2009"},
    {"\xE2\x80\x8A", "U+200A"}, {"\xE2\x80\x8B", "U+200B"}, {"\xE2\x80\xA8", "U+2028"},
    {"\xE2\x80\xA9", "U+2029"}, {"\xE2\x80\xAF", "U+202F"}, {"\xE2\x81\x9F", "U+205F"},
    {"\xE3\x80\x80", "U+3000"}, {"\xEF\xBB\xBF", "U+FEFF"},
}};

const StrangeBlank* strange_blank_at(std::string_view text, std::size_t at) noexcept {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80 && byte != 0x0B && byte != 0x0C) return nullptr;
  for (const StrangeBlank& blank : kStrangeBlanks) {
    if (text.substr(at).starts_with(blank.bytes)) return &blank;
  }
  return nullptr;
}

/// Walks over the bytes of one source. Quotes may span lines, so lines cannot be read separately.
class LineReader {
 public:
  LineReader(ConfigState& state, std::int32_t source, bool is_word, LocatedText& text)
      : state_(state), source_(source), is_word_(is_word), text_(text) {}

  void run() {
    // A copy, since warnings may move the text.
    const std::string bytes = state_.sources[source_].text;
    view_ = bytes;
    std::size_t at = view_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < view_.size()) {
      const std::size_t newline = view_.find('\n', at);
      std::size_t end = newline == kNowhere ? view_.size() : newline;
      const std::size_t next = newline == kNowhere ? end : newline + 1;
      if (end > at && view_[end - 1] == '\r' && !quote_) --end;
      warned_of_blank_ = false;
      if (state_.is_cntk()) {
        read_cntk_line(at, end);
      } else {
        read_line(at, end);
      }
      at = next;
    }
    if (quote_) {
      // Behind a missing quote, opening quotes are taken for closing ones. Most quoted texts end in
      // their own line, so the first one that does not is most likely the cause.
      const std::size_t location = long_quote_.value_or(*quote_);
      throw ConfigTextError(diagnostic(location, 1, "bracket", "a closing '\"'",
                                       is_word_ ? "the end of the word" : "the end of the file",
                                       "the first text in quotes that does not end in its line "
                                       "begins here"));
    }
  }

 private:
  [[nodiscard]] Origin origin(std::size_t at) const { return {.source = source_, .offset = at}; }

  [[nodiscard]] Diagnostic diagnostic(std::size_t at, std::size_t size, std::string_view code,
                                      std::string_view expected, std::string_view found,
                                      std::string_view hint = "") const {
    return state_.sources.diagnostic(origin(at), size, code, expected, found, hint);
  }

  void read_cntk_line(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) warn_of_blank(at);
    KeptLine kept{.begin = 0, .end = end - begin};
    if (!is_word_) kept = cntk_line(view_.substr(begin, end - begin));
    keep(begin + kept.begin, begin + kept.end);
  }

  void read_line(std::size_t begin, std::size_t end) {
    std::size_t kept = begin;  // everything before it has been appended
    bool is_behind_blank = true;
    for (std::size_t at = begin; at < end;) {
      const char byte = view_[at];
      if (byte == '"') {
        turn_quote(at);
      } else if (!quote_ && byte == '#' && is_behind_blank) {
        if (is_word_) warn_of_cut_word(at, end);
        end = at;
        break;
      } else if (const StrangeBlank* const blank = strange_blank_at(view_, at);
                 !quote_ && blank != nullptr) {
        warn_of_blank(at);
        append(kept, at);
        text_.append(std::string(blank->bytes.size(), ' '), origin(at));
        at += blank->bytes.size();
        kept = at;
        is_behind_blank = true;
        continue;
      }
      is_behind_blank = is_blank(byte);
      ++at;
    }
    if (quote_ && !long_quote_) long_quote_ = quote_;
    append(kept, end);
    newline(end);
  }

  void turn_quote(std::size_t at) {
    if (quote_) {
      quote_.reset();
    } else {
      quote_ = at;
    }
  }

  void append(std::size_t begin, std::size_t end) {
    text_.append(view_.substr(begin, end - begin), origin(begin));
  }
  void newline(std::size_t at) { text_.append("\n", origin(at)); }
  void keep(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    append(begin, end);
    newline(end);
  }

  void warn_of_blank(std::size_t at) {
    if (warned_of_blank_) return;
    const StrangeBlank* const blank = strange_blank_at(view_, at);
    if (blank == nullptr) return;
    warned_of_blank_ = true;  // once for each line
    state_.warn(diagnostic(at, blank->bytes.size(), "blank", "a blank or a tab", blank->name,
                           state_.is_cntk()
                               ? "CNTK takes it for a letter"
                               : "it is taken for a blank; CNTK takes it for a letter"));
  }

  void warn_of_cut_word(std::size_t at, std::size_t end) {
    state_.warn(diagnostic(at, end - at, "comment", "no comment in a word",
                           quoted(view_.substr(at, end - at)),
                           "it is left out; put the value into quotes to keep it"));
  }

  ConfigState& state_;
  std::int32_t source_;
  bool is_word_;
  LocatedText& text_;
  std::string_view view_ = {};
  std::optional<std::size_t> quote_ = {};       // offset of the open quote
  std::optional<std::size_t> long_quote_ = {};  // first quote left open at the end of its line
  bool warned_of_blank_ = false;
};

}  // namespace

KeptLine cntk_line(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == kNowhere || line[first] == '#') return {};
  const std::size_t mark = line.find('#');
  if (mark == kNowhere || !is_blank(line[mark - 1])) return {.begin = 0, .end = line.size()};
  return {.begin = first, .end = mark};
}

TextSlice without_cntk_comments(const TextSlice& text) {
  const std::string_view view = text.view();
  if (view.find('#') == kNowhere) return text;
  const auto result = std::make_shared<LocatedText>();
  for (std::size_t at = 0; at < view.size();) {
    const std::size_t newline = view.find('\n', at);
    const std::size_t end = newline == kNowhere ? view.size() : newline;
    const KeptLine kept = cntk_line(view.substr(at, end - at));
    result->append(*text.text, text.begin + at + kept.begin, text.begin + at + kept.end);
    if (newline != kNowhere) result->append(*text.text, text.begin + end, text.begin + end + 1);
    at = newline == kNowhere ? end : newline + 1;
  }
  return {.text = result, .begin = 0, .end = result->view().size()};
}

void append_source(ConfigState& state, std::int32_t source, bool is_word, LocatedText& text) {
  LineReader(state, source, is_word, text).run();
}

}  // namespace sheaf::internal
