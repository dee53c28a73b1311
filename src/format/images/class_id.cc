#include "format/images/class_id.h"

#include <algorithm>

namespace sheaf::internal {

std::string_view trimmed_class_id(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view{} : text.substr(begin, last + 1 - begin);
}

ClassId parse_class_id(std::string_view text, std::optional<std::int64_t> class_count) noexcept {
  const std::int64_t max = std::min(class_count.value_or(kClassIdMax + 1) - 1, kClassIdMax);
  const std::string_view digits = trimmed_class_id(text);
  if (digits.empty()) return {.problem = ClassId::Problem::not_a_number};
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return {.problem = ClassId::Problem::not_a_number};
    value = std::min(value * 10 + (c - '0'), kClassIdMax + 1);
  }
  if (value > max) return {.problem = ClassId::Problem::too_large};
  return {.value = value};
}

}  // namespace sheaf::internal
