// Options of a single format.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"

namespace sheaf {
namespace {

std::string joined_words(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::string_view value_of(const FormatOption& option,
                          const std::map<std::string, std::string>& given) {
  const auto found = given.find(std::string(option.name));
  if (found == given.end()) return option.values.front();
  if (option.takes_any) return found->second;
  const auto value = std::ranges::find(option.values, found->second);
  if (value != option.values.end()) return *value;
  throw ConfigError(formatted("{}: expected {}, found {}", option.name, joined_words(option.values),
                              quoted(std::string_view(found->second))));
}

void check_format_options(std::string_view format, std::span<const FormatOption> options,
                          const std::map<std::string, std::string>& given, std::string_view use) {
  for (const auto& [name, value] : given) {
    const auto option = std::ranges::find(options, name, &FormatOption::name);
    if (option != options.end()) {
      static_cast<void>(value_of(*option, given));
      continue;
    }
    std::string text = formatted("extra: {} has no option {}{}{}", format,
                                 quoted(std::string_view(name)), use.empty() ? "" : " ", use);
    std::vector<std::string> names;
    std::string all;
    for (const FormatOption& each : options) {
      names.emplace_back(each.name);
      all += formatted("{}{}", all.empty() ? "" : ", ", each.name);
    }
    if (!all.empty()) text += "; it has " + all;
    const std::string nearest = nearest_name(name, names);
    if (names.size() > 1 && !nearest.empty()) text += formatted("; did you mean {}?", nearest);
    throw ConfigError(text);
  }
}

std::vector<std::string*> paths_among(std::map<std::string, std::string>& given,
                                      std::span<const Format> formats) {
  std::vector<std::string*> paths;
  for (auto& [name, value] : given) {
    for (const Format& format : formats) {
      const auto option = std::ranges::find(format.read_options, name, &FormatOption::name);
      if (option == format.read_options.end() || !option->is_path) continue;
      const auto words = option->values.first(option->values.size() - 1);
      if (std::ranges::find(words, value) == words.end()) paths.push_back(&value);
      break;
    }
  }
  return paths;
}

const Format* find_cntk_format(std::string_view name, std::span<const Format> formats) {
  for (const Format& format : formats) {
    if (format.cntk == nullptr) continue;
    for (const std::span<const std::string_view> names :
         {format.cntk->readers, format.cntk->modules, format.cntk->deserializers}) {
      if (std::ranges::find(names, name) != names.end()) return &format;
    }
  }
  return nullptr;
}

}  // namespace sheaf
