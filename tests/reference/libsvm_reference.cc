// Splits every row into words, and matches every word with regular expressions. Numbers go through
// strtof and strtod. Everything is slow, simple, and kept in memory.

#include "reference/libsvm_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/number_reference.h"
#include "reference/text_scan.h"

namespace sheaf::conformance {
namespace {

/// A word between blanks.
struct Word {
  std::string text;
  std::int64_t at = 0;  // its offset in the line, from 0
};

struct Line {
  std::int64_t number = 0;  // from 1
  std::int64_t offset = 0;  // in the file
  std::string text;         // without its end
  std::vector<Word> words;  // without the comment
};

std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size() && text[i] != '#'; ++i) {
    const bool is_gap = text[i] == ' ' || text[i] == '\t';
    if (!is_gap && !in_word) words.push_back({"", static_cast<std::int64_t>(i)});
    if (!is_gap) words.back().text += text[i];
    in_word = !is_gap;
  }
  return words;
}

std::vector<Line> lines_of(std::string_view bytes) {
  std::vector<Line> lines;
  std::string text;
  std::int64_t begin = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const auto size = static_cast<std::int64_t>(bytes.size());
  for (std::int64_t i = begin; i <= size; ++i) {
    if (i < size && bytes[static_cast<std::size_t>(i)] != '\n') {
      text += bytes[static_cast<std::size_t>(i)];
      continue;
    }
    if (!text.empty() && text.back() == '\r') text.pop_back();
    lines.push_back({static_cast<std::int64_t>(lines.size()) + 1, begin, text, words_of(text)});
    text.clear();
    begin = i + 1;
  }
  return lines;
}

bool is_whole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Compares whole numbers of any length. Returns -1, 0 or 1.
int compare(std::string a, std::string b) {
  for (std::string* text : {&a, &b}) {
    while (text->size() > 1 && text->front() == '0') text->erase(0, 1);
  }
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a == b ? 0 : (a < b ? -1 : 1);
}

enum class Value { good, no_number, out_of_range, inexact };

/// Returns the value that a number was rounded to, if it is finite. All digits of a whole number
/// must equal those of the value.
Value judged(const std::string& number, double value) {
  const std::string digits = number.substr(number[0] == '+' || number[0] == '-' ? 1 : 0);
  if (!is_whole(digits)) return Value::good;
  char written[400];
  std::snprintf(written, sizeof written, "%.0f", std::fabs(value));
  return compare(digits, written) == 0 ? Value::good : Value::inexact;
}

std::string code_of(Value value) {
  switch (value) {
    case Value::out_of_range:
      return "libsvm-number-range";
    case Value::inexact:
      return "libsvm-inexact";
    default:
      return "libsvm-number";
  }
}

// Returns whether a text is [+-]digits[.[digits]] or [+-].digits, optionally with e[+-]digits.
bool is_number(std::string_view text) {
  TextScan scan{text};
  scan.skip("+-");
  if (scan.skip_digits()) {
    if (scan.skip(".")) scan.skip_digits();
  } else if (!scan.skip(".") || !scan.skip_digits()) {
    return false;
  }
  if (scan.skip("eE")) {
    scan.skip("+-");
    if (!scan.skip_digits()) return false;
  }
  return scan.is_at_end();
}

Value value_of(const std::string& text, ElementType type, std::uint64_t& bits) {
  if (!is_number(text)) return Value::no_number;
  if (is_digit_by_digit(type)) {
    switch (fit_number(text, type, bits)) {
      case Fit::good:
        return Value::good;
      case Fit::no_number:
        return Value::no_number;
      case Fit::out_of_range:
        return Value::out_of_range;
      case Fit::inexact:
        return Value::inexact;
    }
  }
  if (type == ElementType::f32) {
    const float value = std::strtof(text.c_str(), nullptr);
    bits = std::bit_cast<std::uint32_t>(value);
    return std::isinf(value) ? Value::out_of_range : judged(text, value);
  }
  const double value = std::strtod(text.c_str(), nullptr);
  bits = std::bit_cast<std::uint64_t>(value);
  return std::isinf(value) ? Value::out_of_range : judged(text, value);
}

std::uint64_t bits_of_one(ElementType type) {
  std::uint64_t bits = 0;
  if (is_digit_by_digit(type) && fit_number("1", type, bits) == Fit::good) return bits;
  return type == ElementType::f32 ? std::bit_cast<std::uint32_t>(1.0F)
                                  : std::bit_cast<std::uint64_t>(1.0);
}

/// Parses the file line by line.
class File {
 public:
  explicit File(const FormatOptions& options) : options_(options) {
    const auto base = options.extra.find("libsvm.base");
    if (base != options.extra.end()) base_ = std::atoi(base->second.c_str());
  }

  void add(const Line& line) {
    line_ = &line;
    std::size_t next = 0;
    std::optional<Word> label;
    if (line.words[0].text.find(':') == std::string::npos) label = line.words[next++];
    std::optional<Word> qid;
    if (next < line.words.size() && line.words[next].text.starts_with("qid:")) {
      qid = line.words[next++];
    }
    begin_sequence_if_new(qid);
    check(qid);
    ++result.sequences.back().sample_count;
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      const StreamOptions& stream = options_.streams[i];
      const std::string& name = stream.alias.empty() ? stream.name : stream.alias;
      const std::vector<Word> pairs(line.words.begin() + static_cast<std::ptrdiff_t>(next),
                                    line.words.end());
      const std::optional<ReferenceSample> sample = name == "features" ? read_pairs(pairs, stream)
                                                    : stream.storage == Storage::sparse
                                                        ? read_labels(label, stream)
                                                        : read_label(label, stream);
      if (sample) result.sequences.back().streams[i].samples.push_back(*sample);
    }
  }

  void finish() {
    for (ReferenceSequence& sequence : result.sequences) {
      if (!sequence.is_hole) continue;
      for (ReferenceStream& stream : sequence.streams) stream.samples.clear();
    }
    std::sort(result.diagnostics.begin(), result.diagnostics.end());
  }

  ReferenceResult result;

 private:
  ElementType type_of(const StreamOptions& stream) const {
    return stream.dtype.value_or(options_.dtype.value_or(ElementType::f32));
  }

  static bool is_good(const std::string& qid) {
    return is_whole(qid.substr(4)) && compare(qid.substr(4), "18446744073709551615") <= 0;
  }

  void begin_sequence_if_new(const std::optional<Word>& qid) {
    const bool is_first = result.sequences.empty();
    if (is_first) has_qids_ = qid.has_value() && !options_.skip_sequence_ids;
    std::uint64_t key = result.sequences.size();
    if (has_qids_) {
      const bool has_key = qid && is_good(qid->text);
      key = has_key ? std::strtoull(qid->text.c_str() + 4, nullptr, 10) : 0;
      if (!is_first && (!has_key || key == result.sequences.back().key.low)) return;
    }
    ReferenceSequence& sequence = result.sequences.emplace_back();
    sequence.key.low = key;
    sequence.first_line = line_->number;
    sequence.streams.resize(options_.streams.size());
    if (has_qids_ && !keys_.insert(key).second) wrong(qid->at, "libsvm-repeated-qid");
  }

  void check(const std::optional<Word>& qid) {
    if (!qid) {
      if (has_qids_) wrong(line_->words[0].at, "libsvm-mixed");
    } else if (!is_whole(qid->text.substr(4))) {
      wrong(qid->at, "libsvm-qid");
    } else if (!is_good(qid->text)) {
      wrong(qid->at, "libsvm-qid-range");
    } else if (!has_qids_ && !options_.skip_sequence_ids) {
      wrong(qid->at, "libsvm-mixed");
    }
  }

  std::optional<ReferenceSample> read_label(const std::optional<Word>& label,
                                            const StreamOptions& stream) {
    std::uint64_t bits = 0;
    const Value value = label ? value_of(label->text, type_of(stream), bits) : Value::no_number;
    if (value == Value::good)
      return ReferenceSample{.extents = {}, .indices = {}, .values = {bits}};
    const bool is_label = value != Value::no_number;
    wrong(line_->words[0].at, is_label ? code_of(value) : "libsvm-label", stream.name);
    return std::nullopt;
  }

  std::optional<ReferenceSample> read_labels(const std::optional<Word>& label,
                                             const StreamOptions& stream) {
    if (!label) return ReferenceSample{};
    const std::string dim = std::to_string(stream.sample_shape->size());
    std::vector<Word> parts = {{"", label->at}};
    for (std::size_t i = 0; i < label->text.size(); ++i) {
      if (label->text[i] == ',') {
        parts.push_back({"", label->at + static_cast<std::int64_t>(i) + 1});
      } else {
        parts.back().text += label->text[i];
      }
    }
    std::set<std::int64_t> labels;
    std::optional<Word> twice;
    for (const Word& part : parts) {
      if (!is_whole(part.text)) {
        wrong(label->at, "libsvm-label", stream.name);
        return std::nullopt;
      }
      if (compare(part.text, dim) >= 0) {
        wrong(part.at, "libsvm-label-range", stream.name);
        return std::nullopt;
      }
      const bool is_new = labels.insert(std::atoll(part.text.c_str())).second;
      if (!is_new && !twice) twice = part;
    }
    if (twice) {
      wrong(twice->at, "libsvm-duplicate-label", stream.name);
      return std::nullopt;
    }
    ReferenceSample sample;
    for (const std::int64_t one : labels) {
      sample.indices.push_back(one);
      sample.values.push_back(bits_of_one(type_of(stream)));
    }
    return sample;
  }

  std::optional<ReferenceSample> read_pairs(const std::vector<Word>& pairs,
                                            const StreamOptions& stream) {
    const std::int64_t dim = stream.sample_shape->size();
    ReferenceSample sample;
    if (stream.storage == Storage::dense) sample.values.resize(static_cast<std::size_t>(dim));
    std::int64_t previous = -1;
    for (const Word& pair : pairs) {
      const std::size_t colon = pair.text.find(':');
      const std::string index = pair.text.substr(0, colon);
      if (colon == std::string::npos || !is_whole(index) || colon + 1 == pair.text.size()) {
        wrong(pair.at, "libsvm-pair", stream.name);
        return std::nullopt;
      }
      if (compare(index, std::to_string(base_)) < 0 ||
          compare(index, std::to_string(base_ + dim)) >= 0) {
        wrong(pair.at, "libsvm-index-range", stream.name);
        return std::nullopt;
      }
      const std::int64_t number = std::atoll(index.c_str());
      if (number <= previous) {
        wrong(pair.at, "libsvm-order", stream.name);
        return std::nullopt;
      }
      std::uint64_t bits = 0;
      const Value value = value_of(pair.text.substr(colon + 1), type_of(stream), bits);
      if (value != Value::good) {
        wrong(pair.at + static_cast<std::int64_t>(colon) + 1, code_of(value), stream.name);
        return std::nullopt;
      }
      previous = number;
      if (stream.storage == Storage::dense) {
        sample.values[static_cast<std::size_t>(number - base_)] = bits;
      } else {
        sample.indices.push_back(number - base_);
        sample.values.push_back(bits);
      }
    }
    return sample;
  }

  void wrong(std::int64_t at, std::string code, std::string stream = "") {
    ReferenceSequence& sequence = result.sequences.back();
    sequence.is_hole = true;
    result.diagnostics.push_back(
        {.sequence = static_cast<std::int64_t>(result.sequences.size()) - 1,
         .byte_offset = line_->offset + at,
         .line = line_->number,
         .column = at + 1,
         .sequence_key = std::to_string(sequence.key.low),
         .stream = std::move(stream),
         .code = std::move(code)});
  }

  const FormatOptions& options_;
  std::int64_t base_ = 1;
  const Line* line_ = nullptr;
  bool has_qids_ = false;
  std::set<std::uint64_t> keys_;
};

ReferenceResult refused_file(std::int64_t offset, std::int64_t line, std::int64_t column,
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

ReferenceResult libsvm_reference(std::string_view bytes, const FormatOptions& options) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return refused_file(0, 1, 1, "libsvm-utf16");
  }
  std::vector<Line> lines = lines_of(bytes);
  std::erase_if(lines, [](const Line& line) { return line.words.empty(); });
  if (lines.empty()) return refused_file(0, 1, 1, "libsvm-empty");
  const Word& first = lines[0].words[0];
  const bool begins_well =
      std::string_view("0123456789+-.").find(first.text[0]) != std::string_view::npos;
  if (!begins_well && !first.text.starts_with("qid:")) {
    return refused_file(lines[0].offset + first.at, lines[0].number, first.at + 1,
                        "libsvm-not-libsvm");
  }
  File file(options);
  for (const Line& line : lines) file.add(line);
  file.finish();
  return std::move(file.result);
}

}  // namespace sheaf::conformance
