// Splits the file into rows and the rows into cells, byte by byte. Numbers go through strtof and
// strtod. Everything is slow, simple, and kept in memory.

#include "reference/csv_reference.h"

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

using Text = std::string;

/// One cell of a row.
struct CsvCell {
  std::size_t at = 0;  // the offset of its first byte in the file
  Text text;           // without quotes
  bool is_quoted = false;
  Text problem;  // the code of the error
  std::size_t problem_at = 0;
};

struct CsvRow {
  std::size_t at = 0;   // in the file
  std::size_t end = 0;  // without the line end
  std::int64_t line = 1;
  std::vector<CsvCell> cells;
};

/// The rules that the options set.
struct CsvRules {
  char delimiter = ',';
  bool says_delimiter = false;
  bool has_header = true;
  Text columns;
  Text key;
  std::set<Text> classes;
  Text missing = "error";
  std::set<Text> missing_texts = {""};
};

std::vector<Text> split_text(const Text& text, char at) {
  std::vector<Text> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

CsvRules rules_of(const FormatOptions& options) {
  CsvRules rules;
  if (options.missing_streams == MissingStreams::allow) rules.missing = "absent";
  for (const auto& [name, value] : options.extra) {
    if (name == "csv.delimiter" && value != "extension") {
      static const std::map<Text, char> kBytes = {
          {"comma", ','}, {"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}};
      rules.delimiter = kBytes.at(value);
      rules.says_delimiter = true;
    }
    if (name == "csv.header") rules.has_header = value == "yes";
    if (name == "csv.columns") rules.columns = value;
    if (name == "csv.key") rules.key = value;
    if (name == "csv.missing") rules.missing = value;
    if (name == "csv.classes") {
      for (const Text& each : split_text(value, ',')) rules.classes.insert(each);
    }
    if (name == "csv.missing_text") {
      for (const Text& each : split_text(value, '|')) rules.missing_texts.insert(each);
    }
  }
  return rules;
}

/// Returns the end of the row at `at`: an LF outside of quotes, or the end of the file.
std::size_t row_end(std::string_view bytes, std::size_t at, char delimiter) {
  bool is_inside = false;
  bool begins_cell = true;
  for (std::size_t i = at; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (is_inside) {
      if (c != '"') continue;
      if (i + 1 < bytes.size() && bytes[i + 1] == '"') {
        ++i;
      } else {
        is_inside = false;
      }
      continue;
    }
    if (c == '\n') return i;
    is_inside = c == '"' && begins_cell;
    begins_cell = c == delimiter;
  }
  return bytes.size();
}

/// Returns the cell at `at` in a row that ends at `end`. Sets `next` to the end of the cell.
CsvCell cell_at(std::string_view bytes, std::size_t at, std::size_t end, char delimiter,
                std::size_t& next) {
  CsvCell cell;
  cell.at = at;
  const auto wrong = [&cell](const char* code, std::size_t location) {
    if (!cell.problem.empty()) return;
    cell.problem = code;
    cell.problem_at = location;
  };
  std::size_t i = at;
  if (i < end && bytes[i] == '"') {
    cell.is_quoted = true;
    bool is_closed = false;
    for (++i; i < end && !is_closed; ++i) {
      if (bytes[i] != '"') {
        cell.text += bytes[i];
      } else if (i + 1 < end && bytes[i + 1] == '"') {
        cell.text += bytes[i++];
      } else {
        is_closed = true;
      }
    }
    if (!is_closed) wrong("csv-unclosed", at);
    if (is_closed && i < end && bytes[i] != delimiter) wrong("csv-quote", i);
    while (i < end && bytes[i] != delimiter) ++i;
  } else {
    for (; i < end && bytes[i] != delimiter; ++i) {
      cell.text += bytes[i];
      if (bytes[i] == '"') wrong("csv-quote", i);
      if (bytes[i] == '\r') wrong("csv-line-end", i);
    }
  }
  next = i;
  return cell;
}

std::vector<CsvRow> rows_of(std::string_view bytes, std::size_t begin, char delimiter) {
  std::vector<CsvRow> rows;
  std::int64_t line = 1;
  for (std::size_t at = begin; at < bytes.size();) {
    const std::size_t newline = row_end(bytes, at, delimiter);
    CsvRow row;
    row.at = at;
    row.line = line;
    row.end = newline;
    if (row.end > at && bytes[row.end - 1] == '\r') --row.end;
    if (row.end > at) {
      for (std::size_t next = at;; ++next) {
        const std::size_t cell = next;
        row.cells.push_back(cell_at(bytes, cell, row.end, delimiter, next));
        if (next == row.end) break;
      }
      rows.push_back(row);
    }
    line += std::count(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(newline), '\n') +
            1;
    at = newline + 1;
  }
  return rows;
}

enum class CsvValue { good, no_number, out_of_range, inexact };

Text digits_of(Text text) {
  while (text.size() > 1 && text.front() == '0') text.erase(0, 1);
  return text;
}

/// Checks that a whole number has exactly this value.
CsvValue judged_value(const Text& number, double value) {
  const Text digits = number.substr(number[0] == '+' || number[0] == '-' ? 1 : 0);
  if (digits.find_first_not_of("0123456789") != Text::npos) return CsvValue::good;
  char written[400];
  std::snprintf(written, sizeof written, "%.0f", std::fabs(value));
  return digits_of(digits) == written ? CsvValue::good : CsvValue::inexact;
}

bool is_csv_number(std::string_view text) {
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

CsvValue csv_value(const Text& text, ElementType type, std::uint64_t& bits) {
  if (!is_csv_number(text)) return CsvValue::no_number;
  if (is_digit_by_digit(type)) {
    switch (fit_number(text, type, bits)) {
      case Fit::good:
        return CsvValue::good;
      case Fit::no_number:
        return CsvValue::no_number;
      case Fit::out_of_range:
        return CsvValue::out_of_range;
      case Fit::inexact:
        return CsvValue::inexact;
    }
  }
  if (type == ElementType::f32) {
    const float value = std::strtof(text.c_str(), nullptr);
    bits = std::bit_cast<std::uint32_t>(value);
    return std::isinf(value) ? CsvValue::out_of_range : judged_value(text, value);
  }
  const double value = std::strtod(text.c_str(), nullptr);
  bits = std::bit_cast<std::uint64_t>(value);
  return std::isinf(value) ? CsvValue::out_of_range : judged_value(text, value);
}

std::optional<std::uint64_t> bits_of_nan(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return 0x7E00;
    case ElementType::bf16:
      return 0x7FC0;
    case ElementType::f32:
      return 0x7FC00000;
    case ElementType::f64:
      return 0x7FF8000000000000;
    default:
      return std::nullopt;
  }
}

/// Parses the file row by row.
class CsvFile {
 public:
  CsvFile(std::string_view bytes, const FormatOptions& options, const CsvRules& rules)
      : bytes_(bytes), options_(options), rules_(rules) {}

  /// Returns false if the file lacks a column named in the options.
  bool read(const std::vector<Text>& names, const std::vector<CsvRow>& rows) {
    names_ = names;
    for (std::size_t i = 0; i < options_.streams.size(); ++i) assign(i);
    if (!rules_.key.empty()) static_cast<void>(number_of(rules_.key));
    for (const Text& name : rules_.classes) static_cast<void>(number_of(name));
    if (lacks_column_) return false;
    find_classes(rows);
    for (const CsvRow& row : rows) {
      row_ = &row;
      begin_sequence_if_new();
      ++result.sequences.back().sample_count;
      read_row();
    }
    end_sequence();
    std::sort(result.diagnostics.begin(), result.diagnostics.end());
    return true;
  }

  ReferenceResult result;

 private:
  struct Target {
    std::size_t stream;
    bool is_last;
  };

  bool is_text(std::size_t stream) const {
    return options_.streams[stream].dtype == ElementType::bytes;
  }

  std::size_t number_of(const Text& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    lacks_column_ = lacks_column_ || found == names_.end();
    return static_cast<std::size_t>(found - names_.begin());
  }

  bool has(const Text& name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  void assign(std::size_t stream) {
    const StreamOptions& wanted = options_.streams[stream];
    const Text name = wanted.alias.empty() ? wanted.name : wanted.alias;
    std::size_t first = 0;
    std::size_t last = 0;
    if (!rules_.columns.empty()) {
      for (const Text& part : split_text(rules_.columns, ',')) {
        const std::size_t equals = part.find('=');
        const Text range = part.substr(equals == Text::npos ? 0 : equals + 1);
        if (part.substr(0, equals) != name) {
          static_cast<void>(number_of(range.substr(0, range.find(".."))));
          continue;
        }
        const std::size_t dots = range.find("..");
        first = number_of(range.substr(0, dots));
        last = dots == Text::npos ? first : number_of(range.substr(dots + 2));
      }
    } else if (is_text(stream) || wanted.sample_shape->size() == 1) {
      first = last =
          number_of(has(name) || is_text(stream) || !has(name + "0") ? name : name + "0");
    } else {
      first = number_of(name + "0");
      last = first + static_cast<std::size_t>(wanted.sample_shape->size() - 1);
      for (std::size_t i = first; i <= last; ++i) {
        const bool is_next = i < names_.size() && names_[i] == name + std::to_string(i - first);
        lacks_column_ = lacks_column_ || !is_next;
      }
    }
    if (lacks_column_) return;
    for (std::size_t i = first; i <= last; ++i) targets_[i] = {stream, i == last};
  }

  bool is_class(std::size_t column) const { return rules_.classes.contains(names_[column]); }

  bool is_missing_cell(const CsvCell& cell) const {
    return !cell.is_quoted && rules_.missing_texts.contains(cell.text);
  }

  void find_classes(const std::vector<CsvRow>& rows) {
    for (const CsvRow& row : rows) {
      for (std::size_t i = 0; i < std::min(names_.size(), row.cells.size()); ++i) {
        const CsvCell& cell = row.cells[i];
        if (!is_class(i) || !cell.problem.empty() || is_missing_cell(cell)) continue;
        std::map<Text, std::uint64_t>& known = ids_[i];
        known.emplace(cell.text, known.size());
      }
    }
  }

  /// Returns the problem with the key of the row: good, none, not a number, out of range.
  Text key_problem(const CsvCell* cell) const {
    if (cell == nullptr || !cell->problem.empty()) return "-";
    if (cell->text.empty()) return "csv-key";
    if (options_.keys == KeyType::text) return "";
    if (cell->text.find_first_not_of("0123456789") != Text::npos) return "csv-key";
    const Text digits = digits_of(cell->text);
    const Text most = "18446744073709551615";
    const bool fits =
        digits.size() < most.size() || (digits.size() == most.size() && digits <= most);
    return fits ? "" : "csv-key-range";
  }

  void begin_sequence_if_new() {
    const bool is_first = result.sequences.empty();
    SequenceKey key{.low = result.sequences.size()};
    Text text;
    const CsvCell* cell = nullptr;
    Text problem;
    const bool has_keys = !rules_.key.empty() && !options_.skip_sequence_ids;
    if (has_keys) {
      const std::size_t column = number_of(rules_.key);
      if (column < row_->cells.size()) cell = &row_->cells[column];
      problem = key_problem(cell);
      const bool has_texts = options_.keys == KeyType::text;
      if (problem.empty() && has_texts) text = cell->text;
      key = {};
      if (has_texts) {
        key = key_of_text(text);
      } else if (problem.empty()) {
        key.low = std::strtoull(cell->text.c_str(), nullptr, 10);
      }
    }
    const bool goes_on =
        has_keys && !is_first && (!problem.empty() || key == result.sequences.back().key);
    if (!goes_on) {
      end_sequence();
      ReferenceSequence& sequence = result.sequences.emplace_back();
      sequence.key = key;
      sequence.key_text = text;
      sequence.first_line = row_->line;
      sequence.streams.resize(options_.streams.size());
      states_.assign(options_.streams.size(), 0);
      first_row_ = row_;
      if (has_keys && !keys_.insert(key).second) {
        wrong(cell == nullptr ? row_->at : cell->at, "csv-repeated-key", "");
      }
    }
    if (!problem.empty() && problem != "-") wrong(cell->at, problem, "");
  }

  void read_row() {
    samples_.assign(options_.streams.size(), {});
    const std::size_t count = std::min(names_.size(), row_->cells.size());
    for (std::size_t i = 0; i < count; ++i) read_cell(i, row_->cells[i]);
    if (row_->cells.size() < names_.size()) wrong(row_->end, "csv-cells", "");
    if (row_->cells.size() > names_.size()) wrong(row_->cells[names_.size()].at, "csv-cells", "");
  }

  void read_cell(std::size_t column, const CsvCell& cell) {
    const auto target = targets_.find(column);
    const bool is_wanted = target != targets_.end();
    const Text stream = is_wanted ? options_.streams[target->second.stream].name : "";
    if (!cell.problem.empty()) return wrong(cell.problem_at, cell.problem, stream);
    if (!is_wanted) return;
    const std::size_t number = target->second.stream;
    bool is_missing = is_missing_cell(cell);
    if (is_text(number) && rules_.missing != "absent") is_missing = false;
    if (is_missing && rules_.missing == "error") return wrong(cell.at, "csv-missing", stream);
    if (rules_.missing == "absent" && !agrees(number, cell, is_missing, stream)) return;
    ReferenceSample& sample = samples_[number];
    if (is_text(number)) {
      sample.extents = {static_cast<std::int64_t>(cell.text.size())};
      for (const char c : cell.text) sample.values.push_back(static_cast<unsigned char>(c));
    } else if (is_class(column) && !is_missing) {
      sample.values.push_back(ids_[column][cell.text]);
    } else if (!add_number(number, cell, is_missing, stream)) {
      return;
    }
    if (target->second.is_last) {
      result.sequences.back().streams[number].samples.push_back(sample);
    }
  }

  /// Returns whether the cell has a value and agrees with the first cell of the stream in the
  /// sequence.
  bool agrees(std::size_t number, const CsvCell& cell, bool is_missing, const Text& stream) {
    int& state = states_[number];  // 1: present, 2: absent
    const bool is_defining = options_.streams[number].defines_minibatch_size;
    if (state == 0 && !(is_missing && is_defining)) state = is_missing ? 2 : 1;
    if (is_missing && state != 2) wrong(cell.at, "csv-missing", stream);
    if (!is_missing && state == 2) wrong(cell.at, "csv-partly-missing", stream);
    return !is_missing && state == 1;
  }

  bool add_number(std::size_t number, const CsvCell& cell, bool is_missing, const Text& stream) {
    const ElementType type =
        options_.streams[number].dtype.value_or(options_.dtype.value_or(ElementType::f32));
    Text text = is_missing ? rules_.missing : cell.text;
    std::uint64_t bits = 0;
    if (is_missing && text == "nan") {
      const std::optional<std::uint64_t> nan = bits_of_nan(type);
      if (!nan) {
        wrong(cell.at, "csv-missing", stream);
        return false;
      }
      samples_[number].values.push_back(*nan);
      return true;
    }
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.erase(0, 1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
    switch (csv_value(text, type, bits)) {
      case CsvValue::good:
        samples_[number].values.push_back(bits);
        return true;
      case CsvValue::no_number:
        wrong(cell.at, "csv-number", stream);
        break;
      case CsvValue::out_of_range:
        wrong(cell.at, "csv-number-range", stream);
        break;
      case CsvValue::inexact:
        wrong(cell.at, "csv-inexact", stream);
        break;
    }
    return false;
  }

  void end_sequence() {
    if (result.sequences.empty()) return;
    const bool all_absent = std::count(states_.begin(), states_.end(), 2) ==
                            static_cast<std::ptrdiff_t>(states_.size());
    if (all_absent && !result.sequences.back().is_hole) {
      const CsvRow* const row = std::exchange(row_, first_row_);
      wrong(row_->at, "csv-missing", "");
      row_ = row;
    }
    ReferenceSequence& sequence = result.sequences.back();
    for (std::size_t i = 0; i < sequence.streams.size(); ++i) {
      if (sequence.is_hole) sequence.streams[i].samples.clear();
      sequence.streams[i].is_present = sequence.is_hole || states_[i] != 2;
    }
  }

  void wrong(std::size_t at, const Text& code, const Text& stream) {
    ReferenceSequence& sequence = result.sequences.back();
    sequence.is_hole = true;
    // A row may span several lines.
    std::size_t line_begin = row_->at;
    std::int64_t line = row_->line;
    for (std::size_t i = row_->at; i < at; ++i) {
      if (bytes_[i] != '\n') continue;
      line_begin = i + 1;
      ++line;
    }
    result.diagnostics.push_back(
        {.sequence = static_cast<std::int64_t>(result.sequences.size()) - 1,
         .byte_offset = static_cast<std::int64_t>(at),
         .line = line,
         .column = static_cast<std::int64_t>(at - line_begin) + 1,
         .sequence_key = sequence.key_text.empty() ? to_string(sequence.key) : sequence.key_text,
         .stream = stream,
         .code = code});
  }

  std::string_view bytes_;
  const FormatOptions& options_;
  const CsvRules& rules_;
  std::vector<Text> names_;
  std::map<std::size_t, Target> targets_;                     // by column
  std::map<std::size_t, std::map<Text, std::uint64_t>> ids_;  // class ids by column
  const CsvRow* row_ = nullptr;
  const CsvRow* first_row_ = nullptr;  // of the sequence
  std::vector<ReferenceSample> samples_;
  std::vector<int> states_;
  std::set<SequenceKey> keys_;
  bool lacks_column_ = false;
};

ReferenceResult refused_csv(std::string_view bytes, const CsvRow* row, std::size_t at,
                            std::string code) {
  ReferenceResult result;
  ReferenceDiagnostic& fatal = result.fatal.emplace();
  fatal.line = 1;
  fatal.column = 1;
  fatal.code = std::move(code);
  if (row == nullptr) return result;
  fatal.line = row->line;
  for (std::size_t i = row->at; i < at; ++i) {
    ++fatal.column;
    if (bytes[i] != '\n') continue;
    ++fatal.line;
    fatal.column = 1;
  }
  fatal.byte_offset = static_cast<std::int64_t>(at);
  return result;
}

}  // namespace

ReferenceResult csv_reference(std::string_view bytes, const FormatOptions& options) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return refused_csv(bytes, nullptr, 0, "csv-utf16");
  }
  const CsvRules rules = rules_of(options);
  std::vector<CsvRow> rows =
      rows_of(bytes, bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0, rules.delimiter);
  if (rows.empty()) return refused_csv(bytes, nullptr, 0, "csv-empty");
  std::vector<Text> names;
  for (const CsvCell& cell : rows[0].cells) {
    if (!rules.has_header) {
      names.push_back("c" + std::to_string(names.size()));
      continue;
    }
    if (!cell.problem.empty())
      return refused_csv(bytes, rows.data(), cell.problem_at, cell.problem);
    if (cell.text.empty()) return refused_csv(bytes, rows.data(), cell.at, "csv-name");
    if (std::find(names.begin(), names.end(), cell.text) != names.end()) {
      return refused_csv(bytes, rows.data(), cell.at, "csv-same-name");
    }
    names.push_back(cell.text);
  }
  if (names.size() == 1 && !rules.says_delimiter && bytes[rows[0].at] != '"') {
    const std::string_view row = bytes.substr(rows[0].at, rows[0].end - rows[0].at);
    if (row.find_first_of("\t;|") != std::string_view::npos) {
      return refused_csv(bytes, rows.data(), rows[0].at, "csv-delimiter");
    }
  }
  const CsvRow first = rows[0];
  if (rules.has_header) rows.erase(rows.begin());
  if (rows.empty()) return refused_csv(bytes, nullptr, 0, "csv-empty");
  CsvFile file(bytes, options, rules);
  if (!file.read(names, rows)) return refused_csv(bytes, &first, first.at, "csv-column");
  return std::move(file.result);
}

}  // namespace sheaf::conformance
