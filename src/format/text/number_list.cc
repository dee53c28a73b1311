#include "format/text/number_list.h"

#include <type_traits>

#include "base/number.h"
#include "base/text_scan.h"

namespace sheaf::internal {
namespace {

// Moves over the bytes that can belong to a number.
const char* skip_number(const char* p) noexcept {
  while (is_digit(*p) || *p == '.' || *p == '-' || *p == '+' || *p == 'e' || *p == 'E') ++p;
  return p;
}

const char* skip_blanks(const char* p) noexcept {
  while (is_blank(*p)) ++p;
  return p;
}

// Returns whether a point in [p, end), if there is one, has digits on both sides.
bool has_digits_around_point(const char* p, const char* end) noexcept {
  for (; p != end; ++p) {
    if (*p == '.') return is_digit(p[-1]) && is_digit(p[1]);
  }
  return true;
}

}  // namespace

// lex_number() takes all numbers of JSON, and also numbers with a plus, with needless zeros, and
// with a point at an end.
template <typename T>
const char* read_json_number(const char* p, T& value) noexcept {
  const char* const first = *p == '-' ? p + 1 : p;
  if (!is_digit(*first) || (*first == '0' && is_digit(first[1]))) return nullptr;
  const char* end = lex_short_number(p, value);
  if (end != nullptr && *end != '.' && (*end | 0x20) != 'e' && !is_digit(*end)) {
    return end[-1] == '.' ? nullptr : end;
  }
  end = skip_number(p);
  if (!has_digits_around_point(p, end)) return nullptr;
  const NumberResult result = lex_number(p, end, value);
  return result.code == NumberCode::ok && result.next == end ? end : nullptr;
}

template <typename T>
const char* read_number_list(const char* p, ValueField<T>& field) noexcept {
  p = skip_blanks(p);
  if (*p == ']') return p + 1;
  for (;;) {
    if (field.count == field.limit) return nullptr;
    p = read_json_number(p, field.values[field.count]);
    if (p == nullptr) return nullptr;
    ++field.count;
    p = skip_blanks(p);
    if (*p == ']') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_blanks(p + 1);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define SHEAF_NUMBER_LIST(T)                                       \
  template const char* read_json_number(const char*, T&) noexcept; \
  template const char* read_number_list(const char*, ValueField<T>&) noexcept
// NOLINTEND(bugprone-macro-parentheses)
SHEAF_NUMBER_LIST(float);
SHEAF_NUMBER_LIST(double);
SHEAF_NUMBER_LIST(Float16);
SHEAF_NUMBER_LIST(BFloat16);
SHEAF_NUMBER_LIST(std::uint8_t);
SHEAF_NUMBER_LIST(std::uint16_t);
SHEAF_NUMBER_LIST(std::int32_t);
SHEAF_NUMBER_LIST(std::int64_t);
#undef SHEAF_NUMBER_LIST

}  // namespace sheaf::internal
