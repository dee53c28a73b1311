// simdjson finds brackets, strings and scalars, checks that they are where they may be, and checks
// that all bytes are UTF-8. This code checks the contents of strings and scalars. It does not
// convert values. They are converted from their text once, and only for wanted streams.

#include "format/jsonl/jsonl_line.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include <simdjson.h>

namespace sheaf::jsonl {

using simdjson::ondemand::array;
using simdjson::ondemand::document;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

struct Line::Json {
  simdjson::ondemand::parser parser{simdjson::SIMDJSON_MAXSIZE_BYTES};
};

namespace {

static_assert(internal::kRowPadding >= std::int64_t{simdjson::SIMDJSON_PADDING});

// Returns the closing quote of a string, or null if an escape is wrong.
const char* checked_string_end(const char* p) noexcept {
  const char* const end = string_end(p);
  for (;;) {
    p = static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    if (p == nullptr) return end;
    const int size = escape_size(p, end);
    if (size == 0) return nullptr;
    p += size;
    if (p == end) return end;
  }
}

// Returns the end of the number or word at `p`, and its form. Returns null if there is neither.
const char* checked_scalar_end(const char* p, Form& form) noexcept {
  const auto word_end = [p](std::string_view word) -> const char* {
    const char* const end = p + word.size();
    return std::memcmp(p, word.data(), word.size()) == 0 && ends_scalar(*end) ? end : nullptr;
  };
  switch (*p) {
    case 't':
      form = Form::boolean;
      return word_end("true");
    case 'f':
      form = Form::boolean;
      return word_end("false");
    case 'n':
      form = Form::null;
      return word_end("null");
    default:
      break;
  }
  const char* const end = number_end(p);
  form = Form::number;
  return end != nullptr && ends_scalar(*end) ? end : nullptr;
}

// Returns the number of numbers and words in a list, from its first element at `p`. Returns -1 if
// the list has anything else. A bracket ends the line, so the loop need not check for the end.
std::int64_t scalar_count(const char* p) noexcept {
  for (std::int64_t count = 1;; ++count) {
    Form form{};
    p = checked_scalar_end(p, form);
    if (p == nullptr) return -1;
    p = skip_space(p);
    if (*p == ']') return count;
    if (*p != ',') return -1;
    p = skip_space(p + 1);
  }
}

// Returns the start of the value.
const char* begin_of(value& json) noexcept { return json.raw_json_token().data(); }

// Takes a string. simdjson would take a string that is left for a name if a colon followed it.
bool take_string(value& json) {
  simdjson::ondemand::raw_json_string string;
  return json.get_raw_json_string().get(string) == simdjson::SUCCESS &&
         checked_string_end(string.raw()) != nullptr;
}

// Walks through a value. Returns false if any part of it is wrong.
bool walk(value json, int depth);

// simdjson skips a list that is not iterated, up to its bracket. That is the bracket that
// scalar_count() finds, because there is none in between.
bool walk_list(value& json, int depth, Field& field) {
  if (depth > kDepthMax) return false;
  const char* const begin = skip_space(begin_of(json) + 1);
  field.first = *begin == ']' ? '\0' : *begin;
  if (const std::int64_t count = scalar_count(begin); count > 0) {
    field.count = count;
    return true;
  }
  array list;
  if (json.get_array().get(list) != simdjson::SUCCESS) return false;
  field.count = 0;
  for (auto element = list.begin(); element != list.end(); ++element) {
    value inner;
    if ((*element).get(inner) != simdjson::SUCCESS) return false;
    ++field.count;
    if (!walk(inner, depth + 1)) return false;
  }
  return true;
}

bool walk_object(value& json, int depth) {
  object fields;
  if (depth > kDepthMax || json.get_object().get(fields) != simdjson::SUCCESS) return false;
  for (auto each : fields) {
    simdjson::ondemand::field field;
    if (std::move(each).get(field) != simdjson::SUCCESS) return false;
    if (checked_string_end(field.key().raw()) == nullptr) return false;
    if (!walk(field.value(), depth + 1)) return false;
  }
  return true;
}

bool walk(value json, int depth) {
  const char* const p = begin_of(json);
  Field field;
  switch (*p) {
    case '[':
      return walk_list(json, depth, field);
    case '{':
      return walk_object(json, depth);
    case '"':
      return take_string(json);
    default:
      return checked_scalar_end(p, field.form) != nullptr;
  }
}

// Does the same for the value of a field of the line.
bool walk_field(value json, Field& field) {
  const char* const p = begin_of(json);
  field.value = p;
  switch (*p) {
    case '[':
      field.form = Form::list;
      return walk_list(json, 2, field);
    case '{':
      field.form = Form::object;
      return walk_object(json, 2);
    case '"':
      field.form = Form::text;
      return take_string(json);
    default:
      return checked_scalar_end(p, field.form) != nullptr;
  }
}

}  // namespace

bool is_blank_row(const Row& row) noexcept { return std::all_of(row.begin, row.end, is_space); }

Line::Line(std::int64_t size_max) : size_max_(size_max), json_(std::make_unique<Json>()) {}

Line::~Line() = default;

bool Line::read(const Row& row) {
  fields_.clear();
  if (row.end - row.begin > size_max_) {
    fault_ = {&kSize,
              row.begin,
              row.begin + 1,
              std::string(kSize.expected),
              std::to_string(row.end - row.begin) + " bytes",
              ""};
    return false;
  }
  if (read_fields(row)) {
    mark_repeated();
    return true;
  }
  fields_.clear();
  if (std::optional<Fault> fault = find_fault(row.text())) {
    fault_ = *std::move(fault);
  } else {
    fault_ = {&kJson, row.begin, row.begin + 1, std::string(kJson.expected), "something else", ""};
  }
  return false;
}

bool Line::read_fields(const Row& row) {
  const auto size = static_cast<std::size_t>(row.end - row.begin);
  simdjson::ondemand::parser& parser = json_->parser;
  constexpr std::size_t kLeast = 4096;
  // Allocate twice the size, so that lines of growing length do not allocate each time.
  if (size > parser.capacity() &&
      parser.allocate(std::clamp(2 * size, kLeast, simdjson::SIMDJSON_MAXSIZE_BYTES),
                      kDepthMax + 2) != simdjson::SUCCESS) {
    throw std::bad_alloc();
  }
  document line;
  object fields;
  const simdjson::padded_string_view text(row.begin, size, size + simdjson::SIMDJSON_PADDING);
  if (parser.iterate(text).get(line) != simdjson::SUCCESS) return false;
  if (line.get_object().get(fields) != simdjson::SUCCESS) return false;
  for (auto each : fields) {
    simdjson::ondemand::field json;
    if (std::move(each).get(json) != simdjson::SUCCESS) return false;
    Field& field = fields_.emplace_back();
    field.quote = json.key().raw() - 1;
    field.name_end = checked_string_end(field.quote + 1);
    if (field.name_end == nullptr || !walk_field(json.value(), field)) return false;
  }
  return line.current_location().error() == simdjson::OUT_OF_BOUNDS;  // true if nothing is left
}

void Line::set_name(Field& field) {
  const char* const begin = field.quote + 1;
  field.name = {begin, static_cast<std::size_t>(field.name_end - begin)};
  if (field.name.find('\\') == std::string_view::npos) return;
  std::string& name = names_.emplace_back(field.name.size(), '\0');
  name.resize(static_cast<std::size_t>(unescape(field.name, name.data()) - name.data()));
  field.name = name;
}

void Line::mark_repeated() {
  constexpr std::size_t kFewFields = 12;
  names_.clear();
  for (Field& field : fields_) set_name(field);
  if (fields_.size() <= kFewFields) {
    for (std::size_t i = 1; i < fields_.size(); ++i) {
      const auto end = fields_.begin() + static_cast<std::ptrdiff_t>(i);
      fields_[i].is_repeated = std::find_if(fields_.begin(), end, [&](const Field& earlier) {
                                 return earlier.name == fields_[i].name;
                               }) != end;
    }
    return;
  }
  by_name_.resize(fields_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {}, [this](std::size_t i) { return std::pair(fields_[i].name, i); });
  for (std::size_t i = 1; i < by_name_.size(); ++i) {
    Field& field = fields_[by_name_[i]];
    field.is_repeated = field.name == fields_[by_name_[i - 1]].name;
  }
}

const Field* Line::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &*found;
}

}  // namespace sheaf::jsonl
