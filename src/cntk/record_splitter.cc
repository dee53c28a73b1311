#include "cntk/record_splitter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cntk/name_syntax.h"

namespace sheaf::internal {
namespace {

constexpr char closing_of(char open) noexcept {
  switch (open) {
    case '[':
      return ']';
    case '{':
      return '}';
    case '(':
      return ')';
    default:
      return '"';
  }
}

/// Marks the bytes that matter in the search for brackets and quotes.
constexpr std::array<bool, 256> kIsBracket = [] {
  std::array<bool, 256> table{};
  for (const char byte : {'[', ']', '{', '}', '(', ')', '"'})
    table[static_cast<unsigned char>(byte)] = true;
  return table;
}();

constexpr bool is_closing(char byte) noexcept { return byte == ']' || byte == '}' || byte == ')'; }

std::string bracket_text(char bracket) { return formatted("'{}'", bracket); }

/// Walks over the records of one text.
class Splitter {
 public:
  Splitter(const ConfigState& state, const TextSlice& text, RecordKind kind, ConfigNotes& notes)
      : state_(state),
        text_(text),
        view_(text.view()),
        kind_(kind),
        separator_(kind == RecordKind::settings ? ';' : ':'),
        notes_(notes) {}

  std::vector<Record> run() {
    while (true) {
      const std::size_t limit = group_end_.value_or(view_.size());
      while (at_ < limit && (is_separator(view_[at_]) || is_blank(view_[at_]))) ++at_;
      if (at_ < limit) {
        read_record(limit);
      } else if (group_end_) {
        leave_group();
      } else {
        return std::move(records_);
      }
    }
  }

 private:
  [[nodiscard]] bool is_separator(char byte) const noexcept {
    return byte == ',' || byte == '\r' || byte == '\n' || byte == separator_;
  }

  // Brackets around the whole text, or around a part of it, contain records like the text itself.
  void enter_group(std::size_t close) {
    group_end_ = close;
    ++at_;
    constexpr std::string_view kCustom = "`~!@$%^&*_-+|:;,?.";
    constexpr std::string_view kExpected = ",;:|";
    const std::string_view rest = view_.substr(at_, close - at_);
    if (rest.empty() || kCustom.find(rest.front()) == std::string_view::npos) return;
    for (const std::string_view path : {"..", "./", ".\\", "\\\\"}) {
      if (rest.starts_with(path)) return;
    }
    if (!state_.is_cntk() && name_at(rest, 0)) return;
    separator_ = rest.front();
    has_custom_separator_ = true;
    if (kExpected.find(separator_) == std::string_view::npos) {
      const TextSlice location = text_.part(at_, at_ + 1);
      state_.note(
          notes_, location, "separator", "a key or a value after the bracket",
          bracket_text(separator_),
          "it is left out and parts what follows, in place of ';' or ':'; put a blank in front of "
          "it to keep it");
    }
    ++at_;
  }

  void leave_group() {
    at_ = *group_end_ + 1;
    group_end_.reset();
    separator_ = kind_ == RecordKind::settings ? ';' : ':';
    has_custom_separator_ = false;
  }

  void read_record(std::size_t limit) {
    if (is_opening(view_[at_])) {
      const std::size_t close = closing_bracket(state_, text_, at_);
      if (!group_end_) {
        enter_group(close);
      } else if (view_[at_] == '"') {
        add({.text = text_.part(at_ + 1, close), .is_quoted = true}, close + 1, limit);
      } else {
        add({.text = text_.part(at_, close + 1), .is_bracketed = true}, close + 1, limit);
      }
      return;
    }
    std::size_t end = value_begin(limit);
    while (end < limit && !is_separator(view_[end]) && !is_opening(view_[end])) {
      if (is_closing(view_[end]) && kind_ == RecordKind::settings) {
        state_.note(notes_, text_.part(end, end + 1), "bracket", "a bracket that was opened",
                    bracket_text(view_[end]), "it closes nothing, and is read as a letter");
      }
      ++end;
    }
    if (end < limit && is_opening(view_[end])) {
      end = closing_bracket(state_, text_, end) + 1;
      add({.text = text_.part(at_, end)}, end, limit);
    } else {
      records_.push_back({.text = text_.part(at_, end)});
      at_ = end;
    }
  }

  // A custom separator does not split the key: "[$D$=1]" has the key "D$".
  [[nodiscard]] std::size_t value_begin(std::size_t limit) const {
    if (!has_custom_separator_ || kind_ == RecordKind::elements) return at_;
    const std::size_t stop = std::min(view_.find_first_of("=,\r\n[{(\"", at_), limit);
    return stop < limit && view_[stop] == '=' ? stop : at_;
  }

  void add(Record record, std::size_t end, std::size_t limit) {
    record.has_glued_text = end < limit && !is_separator(view_[end]) && !is_blank(view_[end]) &&
                            !is_opening(view_[end]) &&
                            !(kind_ == RecordKind::elements && view_[end] == '*');
    records_.push_back(std::move(record));
    at_ = end;
  }

  const ConfigState& state_;
  const TextSlice& text_;
  std::string_view view_;
  RecordKind kind_;
  char separator_;
  bool has_custom_separator_ = false;
  std::optional<std::size_t> group_end_ = {};
  std::size_t at_ = 0;
  std::vector<Record> records_ = {};
  ConfigNotes& notes_;
};

}  // namespace

namespace {

/// Returns the number of blanks at the beginning of the line that has the byte at `at`.
std::size_t indentation(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t first = text.find_first_not_of(" \t", begin);
  return std::min(first, text.size()) - begin;
}

/// Returns a hint about a missing bracket. If a bracket is missing, another one is often taken for
/// it. The likely one is the first bracket at the beginning of a line whose indentation differs
/// from that of the line with its opening bracket.
std::string likely_location(const ConfigState& state, const TextSlice& text, std::size_t open) {
  const std::string_view view = text.view();
  std::vector<std::size_t> opened;
  for (std::size_t at = open; at < view.size(); ++at) {
    if (view[at] == '"') {
      at = std::min(view.find('"', at + 1), view.size());
    } else if (is_opening(view[at])) {
      opened.push_back(at);
    } else if (is_closing(view[at])) {
      const std::size_t other = opened.back();
      opened.pop_back();
      // Finds the opening bracket at the latest.
      const std::size_t before = view.find_last_not_of(" \t", at - 1);
      const bool begins_line = view[before] == '\n';
      if (begins_line && indentation(view, at) != indentation(view, other)) {
        return formatted("{} at {} closes the one at {}, and is indented differently",
                         bracket_text(view[at]),
                         location_text(location_of(state, text.part(at, at + 1))),
                         location_text(location_of(state, text.part(other, other + 1))));
      }
    }
  }
  return "the bracket that opens is this one";
}

}  // namespace

std::size_t closing_bracket(const ConfigState& state, const TextSlice& text, std::size_t open) {
  const std::string_view view = text.view();
  std::vector<std::size_t> opened;
  for (std::size_t at = open; at < view.size(); ++at) {
    const char byte = view[at];
    if (!kIsBracket[static_cast<unsigned char>(byte)]) continue;
    if (byte == '"') {
      const std::size_t close = view.find('"', at + 1);
      if (close == std::string_view::npos) {
        state.fail(text.part(at, at + 1), "bracket", "a closing '\"'", "the end of the text",
                   "the quote that opens is this one");
      }
      at = close;
    } else if (is_opening(byte)) {
      opened.push_back(at);
      if (std::ssize(opened) > kConfigDepthMax) {
        state.fail(text.part(at, at + 1), "depth",
                   formatted("at most {} brackets in each other", kConfigDepthMax), "one more");
      }
    } else if (is_closing(byte)) {
      const char wanted = closing_of(view[opened.back()]);
      if (byte != wanted) {
        const ConfigLocation location =
            location_of(state, text.part(opened.back(), opened.back() + 1));
        state.fail(text.part(at, at + 1), "bracket", bracket_text(wanted), bracket_text(byte),
                   formatted("{} was opened at {}", bracket_text(view[opened.back()]),
                             location_text(location)));
      }
      opened.pop_back();
    }
    if (opened.empty()) return at;
  }
  const std::size_t unclosed = opened.back();
  state.fail(text.part(unclosed, unclosed + 1), "bracket",
             "a closing " + bracket_text(closing_of(view[unclosed])), "the end of the text",
             likely_location(state, text, open));
}

std::vector<Record> split_records(const ConfigState& state, const TextSlice& text, RecordKind kind,
                                  ConfigNotes& notes) {
  return Splitter(state, text, kind, notes).run();
}

}  // namespace sheaf::internal
