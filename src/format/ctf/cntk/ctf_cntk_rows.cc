#include "format/ctf/cntk/ctf_cntk_rows.h"

namespace sheaf::ctf {

CntkHead CntkGrouper::next(const Row& row, bool has_row_end) {
  const char* const end = cntk_row_end(row);
  CntkHead head;
  const char* p = row.begin;
  std::uint64_t id = 0;
  for (; p != end && is_digit(*p); ++p) {
    const std::uint64_t longer = id * 10 + static_cast<std::uint64_t>(*p - '0');
    // CNTK detects an overflow only if it makes the number smaller.
    head.overflows = head.overflows || longer < id;
    id = longer;
  }
  head.items = p;
  head.overflows = head.overflows && mode_ == KeyMode::ids;
  if (mode_ == KeyMode::lines) {
    head.begins = true;
    key_.low = static_cast<std::uint64_t>(row.line - 1);
    return head;
  }
  head.is_row = has_row_end || p != end;
  if (!head.is_row) return head;
  if (mode_ == KeyMode::texts) {
    constexpr std::string_view kSpace = " \t\r\v\f";
    const char* text_end = row.begin;
    while (text_end != end && kSpace.find(*text_end) == std::string_view::npos) ++text_end;
    const std::string_view text(row.begin, static_cast<std::size_t>(text_end - row.begin));
    if (text.empty() || (has_key_ && text == key_text_)) return head;
    key_text_ = text;
    key_ = key_of_text(text);
  } else {
    if (p == row.begin || (has_key_ && id == key_.low)) return head;
    key_.low = id;
  }
  head.begins = has_key_ = true;
  return head;
}

bool has_cntk_name(const Row& row, std::string_view name) noexcept {
  const char* const end = row.end;
  for (const char* bar = find_bar(row.begin, end); bar != end; bar = find_bar(bar + 1, end)) {
    const char* const after = bar + 1 + name.size();
    if (end - bar <= static_cast<std::ptrdiff_t>(name.size())) return false;
    if (std::string_view(bar + 1, name.size()) != name) continue;
    if (ends_cntk_value(after, end)) return true;
  }
  return false;
}

}  // namespace sheaf::ctf
