// Walks over a page of HTML and reports its errors: a parser that is sufficient for sheaf's pages.

#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::testing {

struct HtmlAttribute {
  std::string tag;
  std::string name;
  std::string value;
};

/// Parses the tags of a page, or of a part of a page.
class HtmlWalk {
 public:
  explicit HtmlWalk(std::string_view html) : rest_(html) {
    while (wrong_.empty() && !rest_.empty()) step();
    if (wrong_.empty() && !open_.empty()) wrong_ = "not closed: " + open_.back();
  }

  /// Returns the error, or an empty text.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  /// Returns how often each element occurs.
  [[nodiscard]] const std::map<std::string, int>& elements() const { return elements_; }

  [[nodiscard]] const std::vector<HtmlAttribute>& attributes() const { return attributes_; }

  /// Returns the text outside of tags, style and script. Entities stay as they are.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Returns the content of <script>.
  [[nodiscard]] const std::string& script() const { return script_; }

  /// Returns the values of an attribute in page order.
  [[nodiscard]] std::vector<std::string> values_of(std::string_view name) const {
    std::vector<std::string> values;
    for (const HtmlAttribute& each : attributes_) {
      if (each.name == name) values.push_back(each.value);
    }
    return values;
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what + " before: " + std::string(rest_.substr(0, 60));
  }

  // Takes the text up to a mark, and the mark.
  std::string take_to(std::string_view mark) {
    const std::size_t end = rest_.find(mark);
    if (end == std::string_view::npos) {
      fail("no " + std::string(mark));
      return {};
    }
    std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end + mark.size());
    return taken;
  }

  void step() {
    if (rest_.front() != '<') {
      const std::string_view text = rest_.substr(0, rest_.find('<'));
      check_text(text);
      text_ += text;
      rest_.remove_prefix(text.size());
    } else if (rest_.starts_with("<!--")) {
      take_to("-->");
    } else if (rest_.starts_with("<!doctype html>")) {
      take_to(">");
    } else if (rest_.starts_with("</")) {
      rest_.remove_prefix(2);
      close(take_to(">"));
    } else {
      rest_.remove_prefix(1);
      open_tag();
    }
  }

  // Refuses bare "&" and control characters. A bare ">" would be harmless, but is refused, too.
  void check_text(std::string_view text) {
    static const std::set<std::string, std::less<>> entities = {"amp", "lt",   "gt",     "quot",
                                                                "#39", "nbsp", "hellip", "times"};
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char each = text[i];
      if (each == '>') fail("a bare >");
      if (static_cast<unsigned char>(each) < 0x20 && each != '\n' && each != '\t')
        fail("a control");
      if (each != '&') continue;
      const std::size_t end = text.find(';', i);
      if (end == std::string_view::npos || !entities.contains(text.substr(i + 1, end - i - 1))) {
        fail("an unknown entity " + std::string(text.substr(i, 10)));
      }
    }
  }

  void open_tag() {
    std::string name;
    while (!rest_.empty() && (std::isalnum(static_cast<unsigned char>(rest_.front())) != 0)) {
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    if (name.empty()) return fail("a bare <");
    ++elements_[name];
    bool is_closed = false;
    while (wrong_.empty() && !rest_.starts_with(">")) {
      if (rest_.starts_with("/>")) {
        is_closed = true;
        rest_.remove_prefix(1);
      } else {
        attribute(name);
      }
    }
    if (!wrong_.empty()) return;
    rest_.remove_prefix(1);
    static const std::set<std::string> empty = {"meta", "link", "img", "br"};
    if (is_closed || empty.contains(name)) return;
    if (name == "style" || name == "script") {
      const std::string content = take_to("</" + name + ">");
      if (name == "script") script_ += content;
      return;
    }
    open_.push_back(name);
  }

  void attribute(const std::string& tag) {
    if (!rest_.starts_with(" ")) return fail("no blank before an attribute");
    rest_.remove_prefix(1);
    const std::string name = take_to("=\"");
    for (const char each : name) {
      const bool is_right =
          (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || each == '-';
      if (!is_right) return fail("an attribute without a value: " + name);
    }
    const std::string value = take_to("\"");
    if (value.find('<') != std::string::npos) fail("a < in an attribute");
    check_text(value);
    attributes_.push_back({tag, name, value});
  }

  void close(const std::string& name) {
    if (open_.empty() || open_.back() != name) return fail("</" + name + "> is not open");
    open_.pop_back();
  }

  std::string_view rest_;
  std::string wrong_;
  std::vector<std::string> open_;
  std::map<std::string, int> elements_;
  std::vector<HtmlAttribute> attributes_;
  std::string text_;
  std::string script_;
};

}  // namespace sheaf::testing
