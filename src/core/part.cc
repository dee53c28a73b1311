#include "sheaf/part.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

__extension__ using WideCount = __int128;

bool take_number(std::string_view text, std::int64_t& number) noexcept {
  if (text.empty() || text.front() == '-') return false;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

std::int64_t DataPart::first_chunk(std::int64_t chunk_count) const noexcept {
  return static_cast<std::int64_t>(WideCount{chunk_count} * number / count);
}

std::int64_t DataPart::end_chunk(std::int64_t chunk_count) const noexcept {
  return static_cast<std::int64_t>((WideCount{chunk_count} * number + chunk_count) / count);
}

DataPart parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  DataPart part;
  if (slash == std::string_view::npos || !take_number(text.substr(0, slash), part.number) ||
      !take_number(text.substr(slash + 1), part.count)) {
    throw ConfigError(
        formatted("part: expected a number and how many parts there are, such as 3/8, found {}",
                  quoted(text)));
  }
  check_part(part);
  return part;
}

void check_part(const DataPart& part) {
  if (part.count < 1) throw ConfigError(formatted("part {}: there is no part", to_string(part)));
  if (part.number >= 0 && part.number < part.count) return;
  throw ConfigError(
      formatted("part {}: the number of a part is from 0 to {}", to_string(part), part.count - 1));
}

std::string to_string(const DataPart& part) { return formatted("{}/{}", part.number, part.count); }

}  // namespace sheaf
