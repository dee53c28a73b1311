// Splits the file into rows and each row into pieces of text, and examines each piece byte by byte.
// Numbers go through strtof and strtod on a separate copy. Everything is slow, simple, and kept in
// memory.

#include "reference/ctf_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reference/ctf_cntk_reference.h"
#include "reference/number_reference.h"

namespace sheaf::conformance {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_control(char c) {
  const int code = static_cast<unsigned char>(c);
  return (code < 32 && code != 9) || code == 127;
}

struct Row {
  std::string text;         // without the row end
  std::int64_t offset = 0;  // the offset of its first byte in the file
  std::int64_t line = 0;    // from 1
};

std::vector<Row> rows_of(std::string_view bytes) {
  std::vector<Row> rows;
  std::size_t begin = 0;
  if (bytes.starts_with("\xEF\xBB\xBF")) begin = 3;
  std::int64_t line = 1;
  while (begin < bytes.size()) {
    std::size_t end = begin;
    while (end < bytes.size() && bytes[end] != '\n') ++end;
    std::string text(bytes.substr(begin, end - begin));
    if (!text.empty() && text.back() == '\r') text.pop_back();
    rows.push_back({std::move(text), static_cast<std::int64_t>(begin), line});
    ++line;
    begin = end + 1;
  }
  return rows;
}

/// Returns whether a text has only blanks and comments.
bool is_nothing(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size() && is_blank(text[i])) ++i;
  while (i < text.size()) {
    if (text[i] != '|' || i + 1 == text.size() || text[i + 1] != '#') return false;
    ++i;
    while (i < text.size() && text[i] != '|') ++i;
  }
  return true;
}

/// An error within a row.
struct Wrong {
  std::size_t at = 0;
  std::string code;
  std::string stream;
};

/// A parsed row.
struct ParsedRow {
  bool has_id = false;
  std::uint64_t id = 0;  // if ids are numbers
  std::string id_text;   // if ids are texts
  std::vector<Wrong> wrong;
  std::vector<bool> names;                              // [stream]: whether the row names it
  std::vector<std::optional<ReferenceSample>> samples;  // [stream]: if there is no error
};

/// Returns the length of the longest number at the beginning of `text`, or 0.
std::size_t number_size(const std::string& text) {
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t digits = 0;
  while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  if (i < text.size() && text[i] == '.') {
    ++i;
    while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  }
  if (digits == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t k = i + 1;
    if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
    const std::size_t first_digit = k;
    while (k < text.size() && is_digit(text[k])) ++k;
    if (k > first_digit) i = k;
  }
  return i;
}

/// Returns the bits of the number `text`, or nothing if it is too large.
std::optional<std::uint64_t> number_bits(const std::string& text, ElementType type) {
  if (type == ElementType::f32) {
    const float value = std::strtof(text.c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
    return std::bit_cast<std::uint32_t>(value);
  }
  const double value = std::strtod(text.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return std::bit_cast<std::uint64_t>(value);
}

/// Returns whether the number `text` is a whole number that the type cannot hold: digits without a
/// point or an exponent that differ from the digits of the rounded value.
bool is_inexact(const std::string& text, ElementType type) {
  if (text.find_first_of(".eE") != std::string::npos) return false;
  std::string digits = text.substr(text.find_first_of("0123456789"));
  while (digits.size() > 1 && digits.front() == '0') digits.erase(0, 1);
  const double value = type == ElementType::f32 ? double{std::strtof(digits.c_str(), nullptr)}
                                                : std::strtod(digits.c_str(), nullptr);
  char written[400];
  std::snprintf(written, sizeof written, "%.0f", value);
  return digits != written;
}

/// Returns whether the decimal number `digits` is below `bound`.
bool is_below(std::string digits, const std::string& bound) {
  while (digits.size() > 1 && digits.front() == '0') digits.erase(0, 1);
  if (digits.size() != bound.size()) return digits.size() < bound.size();
  return digits < bound;
}

class RowParser {
 public:
  RowParser(const std::string& text, const FormatOptions& options)
      : text_(text), options_(options) {
    row_.names.resize(options.streams.size());
    row_.samples.resize(options.streams.size());
    parse_id();
    while (at_ < text_.size()) parse_item();
  }

  ParsedRow take() { return std::move(row_); }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char here() const { return text_[at_]; }
  void skip_blanks() {
    while (!at_end() && is_blank(here())) ++at_;
  }
  void skip_to_bar() {
    while (!at_end() && here() != '|') ++at_;
  }
  void note(std::size_t at, std::string code, std::string stream = "") {
    row_.wrong.push_back({at, std::move(code), std::move(stream)});
  }

  void parse_id() {
    skip_blanks();
    if (options_.keys == KeyType::text) return parse_text_id();
    const std::size_t first = at_;
    while (!at_end() && is_digit(here())) ++at_;
    if (at_ == first) return;
    const std::string digits = text_.substr(first, at_ - first);
    row_.has_id = true;
    const bool fits = is_below(digits, "18446744073709551616");
    row_.id = fits ? std::strtoull(digits.c_str(), nullptr, 10) : ~std::uint64_t{0};
    if (!at_end() && !is_blank(here()) && here() != '|') {
      note(first, "ctf-id");
      skip_to_bar();
    } else if (!fits) {
      note(first, "ctf-id-range");
    } else if (text_.find_first_not_of(" \t", at_) == std::string::npos) {
      note(first, "ctf-id-without-data");
    }
  }

  void parse_text_id() {
    const std::size_t first = at_;
    while (!at_end() && !is_blank(here()) && here() != '|' && !is_control(here())) ++at_;
    if (at_ == first) return;
    row_.has_id = true;
    row_.id_text = text_.substr(first, at_ - first);
    if (!at_end() && is_control(here())) {
      note(first, "ctf-id");
      skip_to_bar();
    } else if (text_.find_first_not_of(" \t", at_) == std::string::npos) {
      note(first, "ctf-id-without-data");
    }
  }

  void parse_item() {
    skip_blanks();
    if (at_end()) return;
    const std::size_t bar = at_;
    if (here() != '|') {
      note(at_, is_control(here()) ? "ctf-control" : "ctf-stray");
      skip_to_bar();
      return;
    }
    ++at_;
    if (!at_end() && here() == '#') {
      skip_to_bar();
      return;
    }
    std::string name;
    while (!at_end() && !is_blank(here()) && here() != '|' && !is_control(here())) {
      name += text_[at_++];
    }
    if (!at_end() && is_control(here())) {
      note(at_, "ctf-control");
      skip_to_bar();
      return;
    }
    if (name.empty()) {
      note(bar, "ctf-name");
      skip_to_bar();
      return;
    }
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      const StreamOptions& stream = options_.streams[i];
      if (name != (stream.alias.empty() ? stream.name : stream.alias)) continue;
      if (row_.names[i]) {
        note(bar, "ctf-repeated-stream", stream.name);
      } else {
        row_.names[i] = true;
        row_.samples[i] =
            stream.storage == Storage::dense ? parse_dense(bar, stream) : parse_sparse(stream);
      }
      break;
    }
    skip_to_bar();
  }

  /// Moves to the next value of a sample. Returns false if there is none.
  bool next_value() {
    skip_blanks();
    return !at_end() && here() != '|';
  }

  /// Returns the value that begins here: up to a blank, a bar, a control byte or the end.
  std::string value_text() const {
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]) && text_[end] != '|' &&
           !is_control(text_[end])) {
      ++end;
    }
    return text_.substr(at_, end - at_);
  }

  /// Returns the number `text` at `at` of the file. Reports an error and returns nothing if it is
  /// not a number, or if a control byte follows.
  std::optional<std::uint64_t> parse_number(std::size_t at, const std::string& text,
                                            const StreamOptions& stream) {
    const std::size_t end = at + text.size();
    const bool before_control = end < text_.size() && is_control(text_[end]);
    if (text.empty() && before_control) {
      note(end, "ctf-control");
      return std::nullopt;
    }
    if (number_size(text) != text.size()) {
      note(at, "ctf-number", stream.name);
      return std::nullopt;
    }
    const ElementType type = stream.dtype.value_or(ElementType::f32);
    std::uint64_t fitted = 0;
    const bool by_digits = is_digit_by_digit(type);
    const Fit fit = by_digits ? fit_number(text, type, fitted) : Fit::good;
    if (fit == Fit::no_number) {
      note(at, "ctf-number", stream.name);
      return std::nullopt;
    }
    const std::optional<std::uint64_t> bits = by_digits ? fitted : number_bits(text, type);
    if (fit == Fit::out_of_range || !bits) {
      note(at, "ctf-number-range", stream.name);
      return std::nullopt;
    }
    if (fit == Fit::inexact || (!by_digits && is_inexact(text, type))) {
      note(at, "ctf-inexact", stream.name);
      return std::nullopt;
    }
    if (before_control) {
      note(end, "ctf-control");
      return std::nullopt;
    }
    return bits;
  }

  std::optional<ReferenceSample> parse_dense(std::size_t bar, const StreamOptions& stream) {
    const auto dim = static_cast<std::size_t>(stream.sample_shape->size());
    ReferenceSample sample;
    while (next_value()) {
      const std::string value = value_text();
      if (sample.values.size() == dim && !is_control(here())) {
        note(at_, "ctf-many-values", stream.name);
        return std::nullopt;
      }
      const std::optional<std::uint64_t> bits = parse_number(at_, value, stream);
      if (!bits) return std::nullopt;
      sample.values.push_back(*bits);
      at_ += value.size();
    }
    if (sample.values.size() < dim) {
      note(bar, "ctf-few-values", stream.name);
      return std::nullopt;
    }
    return sample;
  }

  std::optional<ReferenceSample> parse_sparse(const StreamOptions& stream) {
    const std::string dim = std::to_string(stream.sample_shape->size());
    std::map<std::int64_t, std::uint64_t> pairs;
    std::optional<std::size_t> duplicate;  // the first pair with a repeated index
    while (next_value()) {
      const std::string value = value_text();
      std::size_t digits = 0;
      while (digits < value.size() && is_digit(value[digits])) ++digits;
      if (digits == value.size() && at_ + digits < text_.size() &&
          is_control(text_[at_ + digits])) {
        note(at_ + digits, "ctf-control");
        return std::nullopt;
      }
      const bool has_colon = digits > 0 && digits < value.size() && value[digits] == ':';
      const std::size_t number_at = at_ + digits + 1;
      if (!has_colon || number_at == text_.size() || is_blank(text_[number_at]) ||
          text_[number_at] == '|') {
        note(at_, "ctf-pair", stream.name);
        return std::nullopt;
      }
      if (!is_below(value.substr(0, digits), dim)) {
        note(at_, "ctf-index-range", stream.name);
        return std::nullopt;
      }
      const std::optional<std::uint64_t> bits =
          parse_number(number_at, value.substr(digits + 1), stream);
      if (!bits) return std::nullopt;
      const std::int64_t index = std::strtoll(value.c_str(), nullptr, 10);
      if (!pairs.emplace(index, *bits).second && !duplicate) duplicate = at_;
      at_ += value.size();
    }
    if (duplicate) {
      note(*duplicate, "ctf-duplicate-index", stream.name);
      return std::nullopt;
    }
    ReferenceSample sample;
    for (const auto& [index, bits] : pairs) {
      sample.indices.push_back(index);
      sample.values.push_back(bits);
    }
    return sample;
  }

  const std::string& text_;
  const FormatOptions& options_;
  std::size_t at_ = 0;
  ParsedRow row_;
};

/// Groups the rows of a nonempty file into sequences.
class Grouper {
 public:
  Grouper(const FormatOptions& options, ReferenceResult& result)
      : options_(options), result_(result) {}

  void add(const Row& row, ParsedRow parsed, bool has_ids) {
    const bool has_texts = options_.keys == KeyType::text;
    const std::string id = has_texts ? parsed.id_text : std::to_string(parsed.id);
    if (!has_ids || !is_open_ || (parsed.has_id && id != key_)) {
      finish();
      begin(row, has_ids ? id : std::to_string(row.line - 1));
      if (has_ids && !lines_.emplace(key_, row.line).second) {
        std::size_t entry = 0;
        while (is_blank(row.text[entry])) ++entry;
        parsed.wrong.push_back({entry, "ctf-repeated-id", ""});
      }
    }
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      if (parsed.names[i]) ++row_counts_[i];
      if (parsed.samples[i]) {
        result_.sequences.back().streams[i].samples.push_back(*std::move(parsed.samples[i]));
      }
    }
    for (Wrong& wrong : parsed.wrong) {
      note(row, wrong.at, std::move(wrong.code), std::move(wrong.stream));
    }
  }

  void finish() {
    if (!std::exchange(is_open_, false)) return;
    ReferenceSequence& sequence = result_.sequences.back();
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      if (row_counts_[i] == 0 && options_.missing_streams == MissingStreams::error) {
        note(first_row_, 0, "ctf-missing-stream", options_.streams[i].name);
      }
      sequence.sample_count = std::max(sequence.sample_count, row_counts_[i]);
    }
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      if (!options_.streams[i].defines_minibatch_size) continue;
      sequence.sample_count = row_counts_[i];
      if (row_counts_[i] == 0) return drop();
    }
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      if (sequence.is_hole) sequence.streams[i].samples.clear();
      sequence.streams[i].is_present = sequence.is_hole || row_counts_[i] > 0;
    }
  }

 private:
  /// Drops the last sequence.
  void drop() {
    const std::int64_t number = static_cast<std::int64_t>(result_.sequences.size()) - 1;
    std::erase_if(result_.diagnostics, [number](const ReferenceDiagnostic& diagnostic) {
      return diagnostic.sequence == number;
    });
    if (const auto line = lines_.find(key_);
        line != lines_.end() && line->second == first_row_.line) {
      lines_.erase(line);
    }
    result_.sequences.pop_back();
  }

  void begin(const Row& row, std::string key) {
    is_open_ = true;
    key_ = std::move(key);
    first_row_ = row;
    row_counts_.assign(options_.streams.size(), 0);
    ReferenceSequence sequence;
    if (options_.keys == KeyType::text) {
      sequence.key = ctf_reference_key(key_);
      sequence.key_text = key_;
    } else {
      sequence.key.low = std::strtoull(key_.c_str(), nullptr, 10);
    }
    sequence.first_line = row.line;
    sequence.streams.resize(options_.streams.size());
    result_.sequences.push_back(std::move(sequence));
  }

  void note(const Row& row, std::size_t at, std::string code, std::string stream) {
    result_.sequences.back().is_hole = true;
    const auto entry = static_cast<std::int64_t>(at);
    result_.diagnostics.push_back(
        {.sequence = static_cast<std::int64_t>(result_.sequences.size()) - 1,
         .byte_offset = row.offset + entry,
         .line = row.line,
         .column = entry + 1,
         .sequence_key = key_,
         .stream = std::move(stream),
         .code = std::move(code)});
  }

  const FormatOptions& options_;
  ReferenceResult& result_;
  std::map<std::string, std::int64_t> lines_;  // id -> first line of its first sequence
  bool is_open_ = false;                       // the last sequence may continue
  std::string key_;
  Row first_row_;
  std::vector<std::int64_t> row_counts_;  // [stream]: rows of this sequence that name it
};

ReferenceResult refused(std::int64_t offset, std::int64_t line, std::int64_t column,
                        std::string code) {
  ReferenceResult result;
  ReferenceDiagnostic& fatal = result.fatal.emplace();
  fatal.byte_offset = offset;
  fatal.line = line;
  fatal.column = column;
  fatal.code = std::move(code);
  return result;
}

}  // namespace

SequenceKey ctf_reference_key(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {.low = hash.low64, .high = hash.high64 == 0 ? 1 : hash.high64};
}

ReferenceResult ctf_reference(std::string_view bytes, const FormatOptions& options) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return refused(0, 1, 1, "ctf-utf16");
  }
  if (options.compatibility == Compatibility::cntk) return ctf_cntk_reference(bytes, options);
  std::vector<Row> rows = rows_of(bytes);
  std::erase_if(rows, [](const Row& row) { return is_nothing(row.text); });
  if (rows.empty()) return refused(0, 1, 1, "ctf-empty");

  const Row& first = rows.front();
  std::size_t begin = 0;
  while (is_blank(first.text[begin])) ++begin;
  const char first_byte = first.text[begin];
  const bool has_texts = options.keys == KeyType::text;
  const bool begins_with_id =
      has_texts ? first_byte != '|' && !is_control(first_byte) : is_digit(first_byte);
  const bool has_ids = begins_with_id && !options.skip_sequence_ids;
  const bool may_lack_ids = options.skip_sequence_ids || (first_byte == '|' && !has_texts);
  if (!has_ids && !may_lack_ids) {
    const auto entry = static_cast<std::int64_t>(begin);
    return refused(first.offset + entry, first.line, entry + 1, "ctf-no-id");
  }

  ReferenceResult result;
  Grouper grouper(options, result);
  for (const Row& row : rows) {
    grouper.add(row, RowParser(row.text, options).take(), has_ids);
  }
  grouper.finish();
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

}  // namespace sheaf::conformance
