// Steps over text, by hand: std::regex takes a frame of the stack for each byte.

#pragma once

#include <cstddef>
#include <string_view>

namespace sheaf::conformance {

struct TextScan {
  std::string_view text;
  std::size_t at = 0;

  [[nodiscard]] bool is_at_end() const { return at == text.size(); }

  /// Whether one of `bytes` is next.
  [[nodiscard]] bool sees(std::string_view bytes) const {
    return at < text.size() && bytes.find(text[at]) != std::string_view::npos;
  }

  /// Steps over one of `bytes`. Returns whether one was there.
  bool skip(std::string_view bytes) {
    const bool found = sees(bytes);
    if (found) ++at;
    return found;
  }

  /// Steps over digits. Returns whether any were there.
  bool skip_digits() {
    const std::size_t begin = at;
    while (skip("0123456789")) {
    }
    return at > begin;
  }
};

}  // namespace sheaf::conformance
