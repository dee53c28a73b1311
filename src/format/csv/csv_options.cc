#include "format/csv/csv_options.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/number.h"
#include "base/text.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

struct Delimiter {
  std::string_view word;
  char byte;
};

constexpr std::array<Delimiter, 5> kDelimiters = {
    {{"comma", ','}, {"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}}};

bool is_number(std::string_view text) {
  double value = 0;
  if (text.empty()) return false;
  const char* const end = text.data() + text.size();
  const internal::NumberResult result = internal::lex_number(text.data(), end, value);
  return result.next == end && result.code != internal::NumberCode::not_a_number;
}

std::vector<std::string> split_at_bars(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t bar = text.find('|');
    if (bar != 0) parts.emplace_back(text.substr(0, bar));
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
  }
  return parts;
}

void set_missing(ReadOptions& read, const FormatOptions& options) {
  using Missing = ReadOptions::Missing;
  const bool is_given = options.extra.contains(std::string(kMissingOption.name));
  const std::string_view value = value_of(kMissingOption, options.extra);
  const bool may_be_absent = !is_given && options.missing_streams == MissingStreams::allow;
  if (may_be_absent || value == "absent") {
    read.missing = Missing::absent;
  } else if (value == "nan" || is_number(value)) {
    read.missing = Missing::value;
    read.missing_value = value;
  } else if (value != "error") {
    throw ConfigError(formatted("csv.missing: expected error, absent, nan or a number, got {}",
                                sheaf::quoted(value)));
  }
  read.missing_texts = split_at_bars(value_of(kMissingTextOption, options.extra));
}

}  // namespace

bool ReadOptions::is_missing_text(std::string_view text) const noexcept {
  return text.empty() || std::ranges::find(missing_texts, text) != missing_texts.end();
}

char delimiter_of(std::string_view value, std::string_view path) {
  const auto known = std::ranges::find(kDelimiters, value, &Delimiter::word);
  if (known != kDelimiters.end()) return known->byte;
  std::string name(name_without_compression(path));
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name.ends_with(".tsv") ? '\t' : ',';
}

std::string_view delimiter_word(char delimiter) noexcept {
  const auto known = std::ranges::find(kDelimiters, delimiter, &Delimiter::byte);
  return known == kDelimiters.end() ? std::string_view() : known->word;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  bool is_inside = false;
  parts.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const bool is_doubled = is_inside && i + 1 < text.size() && text[i + 1] == '"';
      if (is_doubled) {
        parts.back() += c;
        ++i;
      } else {
        is_inside = !is_inside;
      }
    } else if (c == ',' && !is_inside) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

ReadOptions read_options_of(const FormatOptions& options, std::string_view path) {
  internal::check_text_options(options);
  check_format_options("csv", kReadOptions, options.extra);
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of csv to be compatible with");
  }
  ReadOptions read;
  const std::string_view delimiter = value_of(kDelimiterOption, options.extra);
  read.delimiter = delimiter_of(delimiter, path);
  read.says_delimiter = delimiter != "extension";
  read.has_header = value_of(kHeaderOption, options.extra) == "yes";
  read.columns = value_of(kColumnsOption, options.extra);
  read.classes = split_list(value_of(kClassesOption, options.extra));
  read.key = value_of(kKeyOption, options.extra);
  read.skips_keys = options.skip_sequence_ids;
  read.has_text_keys = options.keys == KeyType::text && !read.skips_keys;
  if (read.has_text_keys && read.key.empty()) {
    throw ConfigError(
        "keys: a csv file has texts as keys where csv.key names their column "
        "(--format-option csv.key=COLUMN)");
  }
  set_missing(read, options);
  return read;
}

}  // namespace sheaf::csv
