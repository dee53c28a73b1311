#include "format/libsvm/libsvm_rows.h"

#include <algorithm>
#include <limits>

namespace sheaf::libsvm {
namespace {

constexpr std::string_view kQidMark = "qid:";

/// Parses the number of a qid, after its colon.
Head::Qid lex_qid(const char* p, const char* end, std::uint64_t& qid) noexcept {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (p == end || !std::all_of(p, end, is_digit)) return Head::Qid::bad;
  std::uint64_t number = 0;
  for (; p != end; ++p) {
    const auto digit = static_cast<std::uint64_t>(*p - '0');
    if (number > (kMax - digit) / 10) return Head::Qid::out_of_range;
    number = number * 10 + digit;
  }
  qid = number;
  return Head::Qid::good;
}

}  // namespace

Head lex_head(const Row& row) noexcept {
  Head head;
  const char* const end = row.end;
  const char* p = skip_blanks(row.begin, end);
  if (p == end || *p == '#') return head;
  head.is_data = true;
  head.first = p;
  const char* label_end = p;
  while (!ends_token(label_end, end) && *label_end != ':') ++label_end;
  if (ends_token(label_end, end)) {
    head.label = {p, label_end};
    p = skip_blanks(label_end, end);
  }
  if (std::string_view(p, static_cast<std::size_t>(end - p)).starts_with(kQidMark)) {
    head.qid_token = {p, token_end(p, end)};
    head.qid_code = lex_qid(p + kQidMark.size(), head.qid_token.end, head.qid);
    p = head.qid_token.end;
  }
  head.pairs = p;
  return head;
}

}  // namespace sheaf::libsvm
