// Finds the error in a line that is not JSON. simdjson reports that a line is wrong, but usually
// not where. This code finds the location byte by byte, which takes time for wrong lines only.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"

#include "base/utf8.h"
#include "format/jsonl/jsonl_text.h"

namespace sheaf::jsonl {
namespace {

class FaultFinder {
 public:
  explicit FaultFinder(std::string_view line) : p_(line.data()), end_(p_ + line.size()) {}

  std::optional<Fault> find() {
    skip();
    if (p_ == end_ || *p_ != '{') return fault(kObject, std::string(kObject.expected));
    do {
      skip();
      if (!step()) return fault_;
    } while (!open_.empty());
    skip();
    if (p_ == end_) return std::nullopt;
    return fault(kJson, "the end of the line");
  }

 private:
  // The tokens that may come next.
  enum class Next { key_or_end, key, colon, element_or_end, value, comma_or_end };

  void skip() noexcept {
    while (p_ != end_ && is_space(*p_)) ++p_;
  }

  [[nodiscard]] bool is_at(char c) const noexcept { return p_ != end_ && *p_ == c; }

  // Takes the next token. Returns false and sets the fault if the token is wrong.
  bool step() {
    switch (next_) {
      case Next::key_or_end:
        if (is_at('}')) return close();
        return key("a field name in quotes or \"}\"");
      case Next::key:
        return key("a field name in quotes");
      case Next::colon:
        if (!is_at(':')) return fail(kJson, "\":\"");
        ++p_;
        next_ = Next::value;
        return true;
      case Next::element_or_end:
        if (is_at(']')) return close();
        return value("a value or \"]\"");
      case Next::value:
        return value("a value");
      case Next::comma_or_end:
        break;
    }
    const bool is_list = open_.back() == '[';
    if (is_at(is_list ? ']' : '}')) return close();
    if (!is_at(',')) return fail(kJson, is_list ? "\",\" or \"]\"" : "\",\" or \"}\"");
    ++p_;
    next_ = is_list ? Next::value : Next::key;
    return true;
  }

  bool close() {
    ++p_;
    open_.pop_back();
    next_ = Next::comma_or_end;
    return true;
  }

  bool key(const char* expected) {
    if (!is_at('"')) return fail(kJson, expected);
    next_ = Next::colon;
    return string();
  }

  bool value(const char* expected) {
    if (p_ == end_) return fail(kJson, expected);
    next_ = Next::comma_or_end;
    if (*p_ == '"') return string();
    if (*p_ == '{' || *p_ == '[') {
      if (open_.size() == static_cast<std::size_t>(kDepthMax)) {
        return fail(kDepth, std::string(kDepth.expected));
      }
      next_ = *p_ == '{' ? Next::key_or_end : Next::element_or_end;
      open_.push_back(*p_++);
      return true;
    }
    const char* const end = token_end();
    const std::string token(p_, end);  // a zero byte ends the token
    const char* const number = number_end(token.c_str());
    const bool is_number = number != nullptr && number == token.c_str() + token.size();
    if (!is_number && token != "true" && token != "false" && token != "null") {
      return fail(kJson, expected);
    }
    p_ = end;
    return true;
  }

  bool string() {
    const char* const quote = p_++;
    while (p_ != end_) {
      if (*p_ == '"') {
        ++p_;
        return true;
      }
      const auto byte = static_cast<unsigned char>(*p_);
      std::size_t size = 1;
      const ErrorKind* wrong = nullptr;
      if (byte == '\\') {
        size = static_cast<std::size_t>(escape_size(p_, end_));
        wrong = size == 0 ? &kEscape : nullptr;
      } else if (byte >= 0x80) {
        size = internal::utf8_size({p_, static_cast<std::size_t>(end_ - p_)});
        wrong = size == 0 ? &kUtf8 : nullptr;
      } else if (byte < 0x20) {
        wrong = &kControl;
      }
      if (wrong != nullptr) {
        const bool is_whole = wrong == &kEscape && end_ - p_ >= 2;
        return fail_at(*wrong, p_, p_ + (is_whole ? 2 : 1), std::string(wrong->expected));
      }
      p_ += size;
    }
    fault_ = {&kText, quote, end_, std::string(kText.expected), "the end of the line", ""};
    return false;
  }

  // Returns the end of a token that is not a string: at least one byte, up to the next byte that
  // must belong to another token.
  [[nodiscard]] const char* token_end() const noexcept {
    constexpr std::string_view kMarks = ",:[]{}\"";
    const char* end = p_;
    do ++end;
    while (end != end_ && !is_space(*end) && kMarks.find(*end) == std::string_view::npos &&
           kMarks.find(*p_) == std::string_view::npos);
    return end;
  }

  bool fail(const ErrorKind& kind, std::string expected) {
    return fail_at(kind, p_, p_ == end_ ? end_ : token_end(), std::move(expected));
  }

  bool fail_at(const ErrorKind& kind, const char* begin, const char* end, std::string expected) {
    fault_ = {&kind,
              begin,
              end,
              std::move(expected),
              begin == end_ ? std::string("the end of the line")
                            : quoted({begin, static_cast<std::size_t>(end - begin)}),
              ""};
    return false;
  }

  std::optional<Fault> fault(const ErrorKind& kind, std::string expected) {
    fail(kind, std::move(expected));
    return fault_;
  }

  const char* p_;
  const char* const end_;
  Next next_ = Next::value;
  std::vector<char> open_;  // brackets
  Fault fault_;
};

}  // namespace

std::optional<Fault> find_fault(std::string_view line) { return FaultFinder(line).find(); }

}  // namespace sheaf::jsonl
