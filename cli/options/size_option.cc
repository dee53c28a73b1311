#include "options/size_option.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "sheaf/error.h"

namespace sheaf::cli {
namespace {

struct Unit {
  std::string_view name;  // in lower case
  std::int64_t bytes;
};

constexpr Unit kUnits[] = {
    {"", 1},
    {"b", 1},
    {"kb", 1'000},
    {"mb", 1'000'000},
    {"gb", 1'000'000'000},
    {"tb", 1'000'000'000'000},
    {"k", std::int64_t{1} << 10},
    {"m", std::int64_t{1} << 20},
    {"g", std::int64_t{1} << 30},
    {"t", std::int64_t{1} << 40},
    {"kib", std::int64_t{1} << 10},
    {"mib", std::int64_t{1} << 20},
    {"gib", std::int64_t{1} << 30},
    {"tib", std::int64_t{1} << 40},
};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::int64_t parse_size(const std::string& option, std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t number = 0;
  auto [rest, error] = std::from_chars(text.data(), end, number);
  std::int64_t fraction = 0;  // numerator; `scale` is the denominator
  std::int64_t scale = 1;
  if (error == std::errc() && rest != end && *rest == '.') {
    constexpr std::int64_t kScaleMax = 1'000'000;  // ignores further digits
    const char* const point = rest++;
    for (; rest != end && *rest >= '0' && *rest <= '9'; ++rest) {
      if (scale == kScaleMax) continue;
      fraction = fraction * 10 + (*rest - '0');
      scale *= 10;
    }
    if (rest == point + 1) rest = point;  // a "." without digits is an error
  }
  std::string unit(rest, end);
  std::transform(unit.begin(), unit.end(), unit.begin(), lower);
  const auto* const known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const Unit& u) { return u.name == unit; });
  const bool is_part_of_byte = fraction != 0 && known != std::end(kUnits) && known->bytes == 1;
  if (error != std::errc() || number < 0 || known == std::end(kUnits) || is_part_of_byte) {
    throw ConfigError(fmt::format(
        "{} is a number of bytes, such as 4096, 64M, 1.5GiB or 2GB: got \"{}\"", option, text));
  }
  const std::int64_t rest_bytes = fraction * known->bytes / scale;
  if (number > (std::numeric_limits<std::int64_t>::max() - rest_bytes) / known->bytes) {
    throw ConfigError(fmt::format("{} is too large: got \"{}\"", option, text));
  }
  return number * known->bytes + rest_bytes;
}

}  // namespace sheaf::cli
