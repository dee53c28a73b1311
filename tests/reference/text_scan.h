// Steps over text by hand, because std::regex takes a stack frame for each byte.

#pragma once

#include <cstddef>
#include <string_view>

namespace sheaf::conformance {

struct TextScan {
  std::string_view text;
  std::size_t at = 0;

  [[nodiscard]] bool is_at_end() const { return at == text.size(); }

  /// Returns whether the next byte is one of `bytes`.
  [[nodiscard]] bool sees(std::string_view bytes) const {
    return at < text.size() && bytes.find(text[at]) != std::string_view::npos;
  }

  /// Steps over one of `bytes`. Returns whether there was one.
  bool skip(std::string_view bytes) {
    const bool found = sees(bytes);
    if (found) ++at;
    return found;
  }

  /// Steps over digits. Returns whether there were any.
  bool skip_digits() {
    const std::size_t begin = at;
    while (skip("0123456789")) {
    }
    return at > begin;
  }
};

}  // namespace sheaf::conformance
