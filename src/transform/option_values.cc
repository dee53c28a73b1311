#include "transform/option_values.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/number.h"
#include "base/text.h"
#include "base/text_scan.h"

namespace sheaf::internal {
namespace {

// Returns the number that makes up the whole text, or nothing if the text is no number.
std::optional<double> number_of(std::string_view text) {
  std::string padded(text);
  const std::size_t size = padded.size();
  padded.append(64, '\0');  // the lexer may read behind the end
  if (size == 0) return std::nullopt;
  double value = 0;
  const NumberResult result = lex_number(padded.data(), padded.data() + size, value);
  if (result.code != NumberCode::ok || result.next != padded.data() + size) return std::nullopt;
  return value;
}

std::string names_of(std::span<const TransformOption> options) {
  std::string all;
  for (const TransformOption& option : options) {
    all += formatted("{}{}", all.empty() ? "" : ", ", option.name);
  }
  return all;
}

}  // namespace

OptionValues::OptionValues(const TransformType& type, const TransformRequest& request)
    : type_(type), request_(request) {
  for (const auto& [name, value] : request.options) {
    if (std::ranges::find(type.options, name, &TransformOption::name) != type.options.end())
      continue;
    std::string text = formatted("there is no option {}", quoted(std::string_view(name)));
    if (type.options.empty()) throw ConfigError(text + "; the transform has none");
    std::vector<std::string> known;
    for (const TransformOption& option : type.options) known.emplace_back(option.name);
    text += "; the transform has " + names_of(type.options);
    const std::string nearest = nearest_name(name, known);
    if (!nearest.empty()) text += formatted("; did you mean {}?", nearest);
    throw ConfigError(text);
  }
}

std::int64_t OptionValues::integer(std::string_view name, std::int64_t min,
                                   std::int64_t max) const {
  const std::string_view text = needed(name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= min && value <= max) {
    return value;
  }
  throw ConfigError(
      formatted("{} must be a whole number from {} to {}: got {}", name, min, max, quoted(text)));
}

double OptionValues::number(std::string_view name, double min, double max) const {
  const std::string_view text = needed(name);
  const std::optional<double> value = number_of(text);
  if (value && *value >= min && *value <= max) return *value;
  throw ConfigError(
      formatted("{} must be a number from {} to {}: got {}", name, min, max, quoted(text)));
}

bool OptionValues::flag(std::string_view name) const {
  constexpr std::string_view kWords[] = {"false", "true"};
  return choice(name, kWords) == 1;
}

std::vector<double> OptionValues::numbers(std::string_view name) const {
  std::string_view left = text(name);
  std::vector<double> values;
  for (;;) {
    left.remove_prefix(std::min(left.find_first_not_of(' '), left.size()));
    if (left.empty()) return values;
    const std::string_view word = left.substr(0, left.find(' '));
    const std::optional<double> value = number_of(word);
    if (!value) {
      throw ConfigError(
          formatted("{} must be numbers with spaces between: got {}", name, quoted(word)));
    }
    values.push_back(*value);
    left.remove_prefix(word.size());
  }
}

std::size_t OptionValues::choice(std::string_view name,
                                 std::span<const std::string_view> words) const {
  const std::string_view text = needed(name);
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view word : words) all += formatted("{}{}", all.empty() ? "" : ", ", word);
  throw ConfigError(formatted("{} must be one of {}: got {}", name, all, quoted(text)));
}

std::string_view OptionValues::text(std::string_view name) const {
  const auto given = request_.options.find(std::string(name));
  if (given != request_.options.end()) return given->second;
  return std::ranges::find(type_.options, name, &TransformOption::name)->default_text;
}

bool OptionValues::has(std::string_view name) const {
  return request_.options.contains(std::string(name));
}

std::string_view OptionValues::needed(std::string_view name) const {
  const std::string_view found = text(name);
  if (found.empty() && !has(name)) throw ConfigError(formatted("{} is needed", name));
  return found;
}

}  // namespace sheaf::internal
