#include "format/ctf/ctf_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sheaf::ctf {

Head lex_head(const Row& row, bool text_ids) noexcept {
  Head head;
  const char* p = skip_blanks(row.begin, row.end);
  const bool has_text = text_ids && p != row.end && *p != '|' && !is_control(*p);
  if (has_text || (!text_ids && p != row.end && is_digit(*p))) {
    head.is_data = true;
    head.has_id = true;
    head.id_begin = p;
    if (has_text) {
      while (p != row.end && !is_blank(*p) && *p != '|' && !is_control(*p)) ++p;
    } else {
      constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
      for (; p != row.end && is_digit(*p); ++p) {
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        // Nineteen digits always fit.
        if (p - head.id_begin >= 19 && head.id > (kMax - digit) / 10) {
          head.id_code = Head::IdCode::out_of_range;
        }
        head.id = head.id * 10 + digit;
      }
      if (head.id_code == Head::IdCode::out_of_range) head.id = kMax;
    }
    head.id_end = p;
    head.items = p;
    if (p != row.end && !is_blank(*p) && *p != '|') {
      head.id_code = Head::IdCode::bad_end;
      head.items = find_bar(p, row.end);  // the text there is a part of the bad id
    }
    return head;
  }
  head.items = p;
  while (p != row.end && *p == '|' && p + 1 != row.end && p[1] == '#') p = find_bar(p + 1, row.end);
  head.is_data = p != row.end;
  return head;
}

Head SequenceGrouper::next_id(const Row& row) {
  Head head = lex_head(row, text_ids_);
  if (!head.is_data) return head;
  if (mode_ == KeyMode::lines) {
    key_.low = static_cast<std::uint64_t>(row.line - 1);
    head.begins = true;
    return head;
  }
  const bool is_text = mode_ == KeyMode::texts;
  if (has_key_ && (!head.has_id || (is_text ? head.id_text() == id_text_ : head.id == key_.low))) {
    return head;
  }
  head.begins = has_key_ = true;
  // An id out of range is an error in every row, so no row may count as a repetition of it.
  const bool is_known = head.has_id && head.id_code != Head::IdCode::out_of_range;
  id_text_.assign(is_known ? head.id_text() : std::string_view());
  key_ = is_text ? key_of_text(id_text_) : SequenceKey{.low = head.id};
  id_word_ = 0;
  std::memcpy(&id_word_, id_text_.data(), std::min<std::size_t>(id_text_.size(), 8));
  return head;
}

StreamNames::StreamNames(std::vector<std::string> names) : names_(std::move(names)) {
  patterns_.resize(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    const std::size_t size = std::min<std::size_t>(name.size(), 8);
    std::memcpy(&patterns_[i].word, name.data(), size);
    patterns_[i].mask = size == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * size);
    patterns_[i].size = std::ssize(name);
    numbers_.emplace(name, static_cast<std::int64_t>(i));
  }
}

}  // namespace sheaf::ctf
