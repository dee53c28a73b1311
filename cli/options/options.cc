#include "options/options.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/error.h"

#include "options/size_option.h"

namespace sheaf::cli {
namespace {

// Returns the name of an option in messages: "--sequences" for "-n,--sequences,--old".
std::string long_name(const std::string& names) {
  const std::string name = names.substr(names.find("--"));
  return name.substr(0, name.find(','));
}

std::string in_words(Range range) {
  const std::string word = range.word.empty() ? "" : fmt::format(", or \"{}\"", range.word);
  if (range.max == Range{}.max) return fmt::format("of {} or more{}", range.min, word);
  return fmt::format("from {} to {}{}", range.min, range.max, word);
}

std::string type_name(Range range) {
  return range.word.empty() ? "N" : fmt::format("N|{}", range.word);
}

// Returns a size in the largest unit of measure that divides it: "64MiB".
std::string size_text(std::int64_t size) {
  constexpr const char* kUnits[] = {"", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (size > 0 && size % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", size, kUnits[unit]);
}

}  // namespace

std::int64_t parse_count(const std::string& option, std::string_view text, Range range) {
  if (!range.word.empty() && text == range.word) return range.meaning;
  std::int64_t number = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, number);
  if (error != std::errc() || end != text_end || number < range.min || number > range.max) {
    throw ConfigError(
        fmt::format("{} takes a whole number {}: got \"{}\"", option, in_words(range), text));
  }
  return number;
}

CLI::Option* add_count(CLI::App& app, const std::string& names, std::int64_t& target, Range range,
                       const std::string& description) {
  const auto set = [&target, range, name = long_name(names)](const std::string& text) {
    target = parse_count(name, text, range);
  };
  CLI::Option* const option = app.add_option_function<std::string>(names, set, description);
  option->type_name(type_name(range));
  if (!range.word.empty() && target == range.meaning) {
    option->default_str(std::string(range.word));
  } else if (target <= Range{}.max / 4) {
    option->default_str(fmt::format("{}", target));
  }
  return option;
}

CLI::Option* add_count(CLI::App& app, const std::string& names, std::optional<std::int64_t>& target,
                       Range range, const std::string& description) {
  const auto set = [&target, range, name = long_name(names)](const std::string& text) {
    target = parse_count(name, text, range);
  };
  return app.add_option_function<std::string>(names, set, description)->type_name(type_name(range));
}

CLI::Option* add_choice(CLI::App& app, const std::string& names, std::string& target,
                        std::initializer_list<std::string_view> choices,
                        const std::string& description, std::initializer_list<OldWord> old_words) {
  const std::vector<std::string> known(choices.begin(), choices.end());
  const std::vector<OldWord> replaced(old_words);
  const auto set = [&target, known, replaced, name = long_name(names)](const std::string& text) {
    if (const auto old = std::ranges::find(replaced, text, &OldWord::old); old != replaced.end()) {
      target = old->word;
      return;
    }
    if (std::ranges::find(known, text) == known.end()) {
      throw ConfigError(
          fmt::format("{} is one of {}: got \"{}\"", name, fmt::join(known, ", "), text));
    }
    target = text;
  };
  return app.add_option_function<std::string>(names, set, description)
      ->type_name(fmt::format("{}", fmt::join(known, "|")))
      ->default_str(target);
}

CLI::Option* add_size(CLI::App& app, const std::string& names, std::int64_t& target,
                      const std::string& description, std::int64_t size_min) {
  const auto set = [&target, size_min, name = long_name(names)](const std::string& text) {
    target = parse_size(name, text);
    if (target >= size_min) return;
    throw ConfigError(
        fmt::format("{} takes a number of bytes of {} or more: got \"{}\"", name, size_min, text));
  };
  return app.add_option_function<std::string>(names, set, description)
      ->type_name("SIZE")
      ->default_str(size_text(target));
}

CLI::Option* add_limit(CLI::App& app, const std::string& names, std::optional<std::int64_t>& target,
                       const std::string& description) {
  const auto set = [&target, name = long_name(names)](const std::string& text) {
    const std::int64_t size = text == "none" ? 0 : parse_size(name, text);
    target = size == 0 ? std::nullopt : std::optional(size);
  };
  return app.add_option_function<std::string>(names, set, description)
      ->type_name("SIZE|none")
      ->default_str("none");
}

bool is_given(const CLI::App& verb, const char* name) {
  const CLI::Option* const option = verb.get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

CLI::Option* add_settings(CLI::App& app, const std::string& name,
                          std::map<std::string, std::string>& target,
                          const std::string& description) {
  const auto set = [&target, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t end = text.find('=');
      if (end == 0 || end == std::string::npos) {
        throw ConfigError(fmt::format("{} takes {}: got \"{}\"", name, kSettingSyntax, text));
      }
      const std::string key = text.substr(0, end);
      if (!target.emplace(key, text.substr(end + 1)).second) {
        throw ConfigError(fmt::format("{} {} is given twice", name, key));
      }
    }
  };
  return app.add_option_function<std::vector<std::string>>(name, set, description)
      ->type_name(kSettingSyntax)
      ->allow_extra_args(false);
}

}  // namespace sheaf::cli
