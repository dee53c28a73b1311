#include "options/format_list.h"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sheaf/extend/format.h"

namespace sheaf::cli {
namespace {

std::span<const FormatOption> options_of(const Format& format, FormatUse use) {
  return use == FormatUse::reading ? format.read_options : format.write_options;
}

}  // namespace

std::string format_names(FormatUse use) {
  std::string names;
  for (const Format& format : builtin_formats()) {
    if (use == FormatUse::writing && format.create == nullptr) continue;
    names += fmt::format("{}{}", names.empty() ? "" : "|", format.name);
  }
  return names;
}

std::vector<std::string> format_option_words(FormatUse use) {
  std::vector<std::string> words;
  for (const Format& format : builtin_formats()) {
    for (const FormatOption& option : options_of(format, use)) {
      for (const std::string_view value : option.values) {
        words.push_back(fmt::format("{}={}", option.name, value));
      }
    }
  }
  return words;
}

std::string with_format_options(std::string_view text, FormatUse use) {
  std::string all(text);
  std::string_view separator = ": ";
  for (const Format& format : builtin_formats()) {
    for (const FormatOption& option : options_of(format, use)) {
      all += fmt::format("{}{}={}", separator, option.name, fmt::join(option.values, "|"));
      separator = ", ";
    }
  }
  return all;
}

}  // namespace sheaf::cli
