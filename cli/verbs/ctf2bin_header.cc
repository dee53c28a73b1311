#include "verbs/ctf2bin_header.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sheaf::cli {
namespace {

constexpr std::size_t kFields = 4;
constexpr std::int64_t kDimMax = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

// A word and its offset in the line.
struct Field {
  std::size_t begin;
  std::string_view text;
};

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    fields.push_back({at, line.substr(at, end - at)});
    at = end;
  }
  return fields;
}

bool is_word(std::string_view text, std::string_view lower_case) noexcept {
  return std::ranges::equal(text, lower_case, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view path, ElementType element_type)
      : text_(text), path_(path), element_type_(element_type) {}

  Ctf2binHeader parse() {
    if (text_.starts_with("\xEF\xBB\xBF")) begin_ = 3;
    for (; begin_ < text_.size(); begin_ += line_.size() + 1) {
      ++line_number_;
      line_ = text_.substr(begin_, std::min(text_.find('\n', begin_), text_.size()) - begin_);
      const std::vector<Field> fields = fields_of(line_);
      if (!fields.empty()) add_line(fields);
    }
    if (header_.streams.empty() && header_.errors.empty()) {
      line_ = {};
      line_number_ = std::max<std::int64_t>(1, line_number_);
      add_error({0, {}}, "ctf2bin-empty", "a stream", "the end of the file");
    }
    return std::move(header_);
  }

 private:
  void add_line(const std::vector<Field>& fields) {
    if (fields.size() != kFields) {
      const bool is_short = fields.size() < kFields;
      add_error(is_short ? fields.back() : fields[kFields], "ctf2bin-fields",
                "four fields: PUBLISHED-NAME NAME-IN-CTF dense|sparse DIM",
                fmt::format("{}", fields.size()));
      return;
    }
    StreamOptions stream{.name = std::string(fields[0].text),
                         .alias = std::string(fields[1].text),
                         .dtype = element_type_};
    const std::size_t errors_before = header_.errors.size();
    check_names(fields);
    if (is_word(fields[2].text, "sparse")) {
      stream.storage = Storage::sparse;
    } else if (!is_word(fields[2].text, "dense")) {
      add_error(fields[2], "ctf2bin-storage", "dense or sparse", quoted(fields[2].text));
    }
    const std::int64_t dim = parse_dim(fields[3]);
    if (header_.errors.size() > errors_before) return;
    stream.sample_shape = Shape{dim};
    header_.streams.push_back(std::move(stream));
  }

  void check_names(const std::vector<Field>& fields) {
    const auto is_taken = [this](auto member, const Field& field) {
      return std::ranges::find(header_.streams, field.text, member) != header_.streams.end();
    };
    if (is_taken(&StreamOptions::name, fields[0])) {
      add_error(fields[0], "ctf2bin-name", "a name that no line before has",
                quoted(fields[0].text));
    }
    if (is_taken(&StreamOptions::alias, fields[1])) {
      add_error(fields[1], "ctf2bin-name", "a name in the CTF file that no line before has",
                quoted(fields[1].text));
    }
  }

  std::int64_t parse_dim(const Field& field) {
    std::int64_t dim = 0;
    const char* const text_end = field.text.data() + field.text.size();
    const auto [end, error] = std::from_chars(field.text.data(), text_end, dim);
    if (error != std::errc() || end != text_end || dim < 1 || dim > kDimMax) {
      add_error(field, "ctf2bin-dim", fmt::format("a whole number from 1 to {}", kDimMax),
                quoted(field.text));
    }
    return dim;
  }

  void add_error(const Field& field, const char* code, std::string expected, std::string found) {
    Diagnostic& error = header_.errors.emplace_back();
    error.path = path_;
    error.line = line_number_;
    error.column = static_cast<std::int64_t>(field.begin) + 1;
    error.byte_offset = static_cast<std::int64_t>(begin_ + field.begin);
    error.code = code;
    error.expected = std::move(expected);
    error.found = std::move(found);
    set_excerpt(error, line_, static_cast<std::int64_t>(field.begin), std::ssize(field.text));
  }

  std::string_view text_;
  std::string_view path_;
  ElementType element_type_;
  Ctf2binHeader header_;
  std::size_t begin_ = 0;  // offset of the line in the text
  std::string_view line_;
  std::int64_t line_number_ = 0;
};

}  // namespace

Ctf2binHeader parse_ctf2bin_header(std::string_view text, std::string_view path,
                                   ElementType element_type) {
  return Parser(text, path, element_type).parse();
}

}  // namespace sheaf::cli
