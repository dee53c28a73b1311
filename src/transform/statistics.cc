#include "transform/statistics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "core/json_text.h"

namespace sheaf::internal {
namespace {

using StatisticsJson = nlohmann::ordered_json;

[[noreturn]] void refuse_statistics(const std::string& location, std::string_view expected,
                                    const StatisticsJson& found) {
  throw ConfigError(formatted("{}: expected {}, found {}", location, expected, shown_json(found)));
}

std::vector<double> numbers_of(const StatisticsJson& array, const std::string& location) {
  if (!array.is_array() || array.empty()) refuse_statistics(location, "a list of numbers", array);
  std::vector<double> numbers;
  for (const StatisticsJson& each : array) {
    if (!each.is_number()) refuse_statistics(location, "numbers", each);
    numbers.push_back(each.get<double>());
  }
  return numbers;
}

ValueStatistics value_statistics(const StatisticsJson& object, const std::string& location) {
  if (!object.is_object()) refuse_statistics(location, "an object", object);
  const auto means = object.find("mean");
  if (means == object.end()) refuse_statistics(location, "the field \"mean\"", object);
  ValueStatistics statistics{.means = numbers_of(*means, location + ": mean")};
  const auto deviations = object.find("stddev");
  if (deviations == object.end()) return statistics;
  statistics.deviations = numbers_of(*deviations, location + ": stddev");
  for (const double deviation : statistics.deviations) {
    if (deviation < 0) refuse_statistics(location + ": stddev", "no number below 0", deviation);
  }
  if (statistics.deviations.size() != statistics.means.size()) {
    throw ConfigError(formatted("{}: stddev must have as many numbers as mean: got {} and {}",
                                location, statistics.deviations.size(), statistics.means.size()));
  }
  return statistics;
}

bool is_separator(char c) noexcept { return c == ' ' || c == '\t'; }

/// Takes the next word off the front of a line. Returns an empty word at the end.
std::string_view next_word(std::string_view& line) noexcept {
  const auto* const begin = std::ranges::find_if_not(line, is_separator);
  const auto* const end = std::find_if(begin, line.end(), is_separator);
  line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
  return {begin, end};
}

}  // namespace

Statistics parse_statistics(std::string_view text, const std::string& name) {
  const StatisticsJson json = parse_json(text, name);
  if (!json.is_object()) refuse_statistics(name, "an object", json);
  const auto speakers = json.find("speakers");
  if (speakers == json.end()) return {.all = value_statistics(json, name)};
  if (json.contains("mean") || json.contains("stddev")) {
    throw ConfigError(formatted("{}: speakers and statistics of all do not go together", name));
  }
  const std::string location = name + ": speakers";
  if (!speakers->is_object() || speakers->empty()) {
    refuse_statistics(location, "an object with speakers", *speakers);
  }
  Statistics statistics;
  for (const auto& [speaker, each] : speakers->items()) {
    statistics.speakers.emplace(
        speaker,
        value_statistics(each, formatted("{}: {}", location, quoted(std::string_view(speaker)))));
  }
  return statistics;
}

SpeakerMap::SpeakerMap(std::string_view text, const std::string& name) {
  std::unordered_map<std::string, std::size_t> numbers;  // [speaker]: its number
  std::int64_t line_number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string_view rest = line;
    const std::string_view key = next_word(rest);
    if (key.empty()) continue;  // an empty line
    const std::string_view speaker = next_word(rest);
    if (speaker.empty() || !next_word(rest).empty()) {
      throw ConfigError(
          formatted("{}:{}: expected KEY SPEAKER, found {}", name, line_number, quoted(line)));
    }
    const auto [found, is_new] = numbers.emplace(speaker, speakers_.size());
    if (is_new) speakers_.emplace_back(speaker);
    entries_.push_back({key_of_text(key), line_number, found->second});
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    const bool is_number = error == std::errc() && end == key.data() + key.size();
    if (is_number && (key == "0" || !key.starts_with('0'))) {
      entries_.push_back({{number, 0}, line_number, found->second});
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::pair(a.key, a.line) < std::pair(b.key, b.line);
  });
  const auto twice = std::ranges::adjacent_find(entries_, {}, &Entry::key);
  if (twice != entries_.end()) {
    throw ConfigError(formatted("{}:{}: the key was in line {} already", name,
                                std::next(twice)->line, twice->line));
  }
}

const std::string* SpeakerMap::find(const SequenceKey& key) const noexcept {
  const auto found = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
  if (found == entries_.end() || found->key != key) return nullptr;
  return &speakers_[found->speaker];
}

}  // namespace sheaf::internal
