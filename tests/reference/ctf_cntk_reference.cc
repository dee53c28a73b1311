// Two independent passes, with regular expressions for values. The first pass groups rows into
// sequences and counts them. The second pass reads their samples.

#include "reference/ctf_cntk_reference.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/ctf_reference.h"
#include "reference/number_reference.h"
#include "reference/text_scan.h"

namespace sheaf::conformance {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSpaces = " \t\n\v\f\r";

bool is_one_of(char c, std::string_view bytes) { return bytes.find(c) != std::string_view::npos; }
bool is_control(char c) { return static_cast<signed char>(c) < 0x20 && !is_one_of(c, kBlanks); }
bool is_digit(char c) { return is_one_of(c, "0123456789"); }

// Returns how much of a token is a number: [+-]digits, then optionally either a single dot or
// .digits, and optionally e[+-]digits. Returns 0 if the token does not begin with a number.
std::size_t number_size(std::string_view token) {
  TextScan scan{token};
  scan.skip("+-");
  if (!scan.skip_digits()) return 0;
  if (scan.skip(".") && !scan.skip_digits()) return scan.at;
  const std::size_t size = scan.at;
  if (!scan.skip("eE")) return size;
  scan.skip("+-");
  return scan.skip_digits() ? scan.at : size;
}

// Returns whether a token may be the beginning of a number: a sign, or a number up to its exponent.
bool is_half_number(std::string_view token) {
  TextScan scan{token};
  scan.skip("+-");
  if (scan.is_at_end()) return true;
  if (!scan.skip_digits()) return false;
  if (scan.skip(".") && !scan.skip_digits()) return false;
  if (!scan.skip("eE")) return false;
  scan.skip("+-");
  return scan.is_at_end();
}

/// Returns whether a byte ends a name or a value.
bool is_end(char c) { return is_one_of(c, " \t|") || is_control(c); }

std::string name_of(const StreamOptions& stream) {
  return stream.alias.empty() ? stream.name : stream.alias;
}

/// Returns the stream that defines the minibatch size, or null.
const StreamOptions* defining_stream_of(const FormatOptions& options) {
  const auto found =
      std::ranges::find(options.streams, true, &StreamOptions::defines_minibatch_size);
  return found == options.streams.end() ? nullptr : &*found;
}

struct Row {
  std::string text;          // with CR, without LF
  bool has_row_end = false;  // an LF follows
  std::int64_t offset = 0;
  std::int64_t line = 0;
  std::int64_t column = 1;  // the column of the first byte in its line
};

struct Group {
  std::string key;
  std::vector<Row> rows;
  std::int64_t length = 0;  // the number of rows that count
};

std::vector<Row> rows_of(std::string_view bytes, std::size_t begin, std::int64_t line,
                         std::int64_t column) {
  std::vector<Row> rows;
  while (begin < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    rows.push_back({std::string(bytes.substr(begin, end - begin)), end < bytes.size(),
                    static_cast<std::int64_t>(begin), line++, column});
    column = 1;
    begin = end + 1;
  }
  return rows;
}

/// Returns whether the text contains "|name" followed by the end of a name.
bool names(const std::string& text, const std::string& name) {
  const std::string wanted = '|' + name;
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if (end == text.size() || is_end(text[end])) return true;
  }
  return false;
}

ReferenceDiagnostic location(const Row& row, std::size_t at, std::string code) {
  // A CR at the end of a row cannot have an error.
  const std::size_t size = row.text.ends_with('\r') ? row.text.size() - 1 : row.text.size();
  const auto in_row = static_cast<std::int64_t>(std::min(at, size));
  ReferenceDiagnostic diagnostic;
  diagnostic.byte_offset = row.offset + in_row;
  diagnostic.line = row.line;
  diagnostic.column = row.column + in_row;
  diagnostic.code = std::move(code);
  return diagnostic;
}

/// The first pass.
class Grouping {
 public:
  Grouping(const FormatOptions& options, bool has_ids) : options_(options), has_ids_(has_ids) {}

  /// Returns the sequences. If an id is refused, returns its error as `fatal`.
  std::vector<Group> groups_of(const std::vector<Row>& rows,
                               std::optional<ReferenceDiagnostic>& fatal) {
    std::vector<Group> groups;
    for (const Row& row : rows) {
      const std::optional<std::string> id = id_of(row);
      if (overflows_) {
        fatal = location(row, 0, "ctf-id-range");
        return {};
      }
      if (!has_ids_) {
        groups.push_back({.key = std::to_string(row.line - 1), .rows = {}});
      } else if (id && (groups.empty() || *id != groups.back().key)) {
        groups.push_back({.key = *id, .rows = {}});
      }
      groups.back().rows.push_back(row);
      if (counts(row)) ++groups.back().length;
    }
    std::erase_if(groups, [](const Group& group) { return group.length == 0; });
    return groups;
  }

 private:
  std::optional<std::string> id_of(const Row& row) {
    if (!has_ids_) return std::nullopt;
    if (options_.keys == KeyType::text) {
      const std::string text = row.text.substr(0, row.text.find_first_of(kSpaces));
      if (text.empty() || is_last_digits(row)) return std::nullopt;
      return text;
    }
    std::uint64_t id = 0;
    std::size_t size = 0;
    for (; size < row.text.size() && is_digit(row.text[size]); ++size) {
      const std::uint64_t longer = id * 10 + static_cast<std::uint64_t>(row.text[size] - '0');
      if (longer < id) overflows_ = true;
      id = longer;
    }
    if (size == 0 || is_last_digits(row)) return std::nullopt;
    return std::to_string(id);
  }

  /// Digits at the end of the file are neither an id nor a row.
  static bool is_last_digits(const Row& row) {
    return !row.has_row_end && std::ranges::all_of(row.text, is_digit);
  }

  bool counts(const Row& row) const {
    if (const StreamOptions* const stream = defining_stream_of(options_)) {
      return names(row.text, name_of(*stream));
    }
    return !has_ids_ || !is_last_digits(row);
  }

  const FormatOptions& options_;
  bool has_ids_;
  bool overflows_ = false;
};

struct Parsed {
  ReferenceSequence sequence;
  std::vector<ReferenceDiagnostic> diagnostics;
};

/// The second pass, for one sequence.
class SequenceParser {
 public:
  SequenceParser(const FormatOptions& options, const Group& group)
      : options_(options), group_(group), values_(options.streams.size()) {
    for (const StreamOptions& stream : options.streams) {
      name_size_max_ = std::max(name_size_max_, name_of(stream).size());
    }
    parsed_.sequence.streams.resize(options.streams.size());
    for (const Row& row : group.rows) parse(row);
    finish();
  }

  Parsed take() { return std::move(parsed_); }

 private:
  void note(const Row& row, std::size_t at, std::string code, const StreamOptions* stream = nullptr,
            Severity severity = Severity::error) {
    ReferenceDiagnostic diagnostic = location(row, at, std::move(code));
    diagnostic.sequence_key = group_.key;
    if (stream != nullptr) diagnostic.stream = stream->name;
    diagnostic.severity = severity;
    parsed_.diagnostics.push_back(std::move(diagnostic));
  }

  void warn(const Row& row, std::size_t at, std::string code,
            const StreamOptions* stream = nullptr) {
    note(row, at, std::move(code), stream, Severity::warning);
  }

  void parse(const Row& row) {
    const std::string& text = row.text;
    std::size_t sample_count = 0;  // good ones
    std::size_t at = 0;
    while (at < text.size() && is_digit(text[at])) ++at;
    while (at < text.size()) {
      if (text[at] == '|') {
        if (parse_item(row, at)) ++sample_count;
      } else if (is_end(text[at])) {
        ++at;
      } else {
        note(row, at, "ctf-stray");
        to_bar(text, at);
      }
    }
    if (sample_count == 0 && row.has_row_end) note(row, 0, "ctf-empty-row");
    if (sample_count > options_.streams.size()) warn(row, 0, "ctf-repeated-stream");
    if (!row.has_row_end) warn(row, text.size(), "ctf-no-newline");
  }

  static void to_bar(const std::string& text, std::size_t& at) {
    at = std::min(text.find('|', at), text.size());
  }

  /// Reads the item at `at`, which is a bar, and moves beyond it. Returns whether it is a good
  /// sample.
  bool parse_item(const Row& row, std::size_t& at) {
    const std::string& text = row.text;
    const std::size_t bar = at++;
    const std::size_t name_begin = at;
    if (at < text.size() && text[at] == '#') {
      to_bar(text, at);
      return false;
    }
    while (at < text.size() && !is_end(text[at])) ++at;
    const std::string name = text.substr(name_begin, at - name_begin);
    // CNTK reads a name only up to the length of the longest known name.
    if (name.size() <= name_size_max_) {
      if (at == text.size() && !row.has_row_end) {
        note(row, bar, "ctf-cut-short");
        return false;
      }
      if (name.empty()) note(row, bar, "ctf-name");
      for (std::size_t i = 0; i < options_.streams.size(); ++i) {
        if (name_of(options_.streams[i]) != name) continue;
        if (parse_sample(row, bar, at, i)) return true;
        break;
      }
    }
    to_bar(text, at);
    return false;
  }

  /// Reads the values of the item at `bar`, beginning at `at`.
  bool parse_sample(const Row& row, std::size_t bar, std::size_t& at, std::size_t stream_number) {
    const StreamOptions& stream = options_.streams[stream_number];
    const bool is_dense = stream.storage == Storage::dense;
    const auto dim = static_cast<std::size_t>(stream.sample_shape->size());
    const std::size_t begin = at;
    std::size_t extra = at;  // the offset of the first extra value
    ReferenceSample sample;
    for (;;) {
      while (at < row.text.size() && is_one_of(row.text[at], kBlanks)) ++at;
      if (at == row.text.size() || is_end(row.text[at])) break;
      if (sample.values.size() == dim) extra = at;
      if (!is_dense && !parse_index(row, at, stream, sample)) return false;
      if (!parse_number(row, at, stream, sample)) return false;
    }
    const bool is_cut = at == row.text.size() && !row.has_row_end;
    std::size_t& value_count = values_[stream_number];
    const bool is_empty =
        is_dense ? sample.values.empty() : value_count + sample.values.size() == 0;
    if (is_cut && is_empty) {
      note(row, begin, "ctf-cut-short", &stream);
      return false;
    }
    if (is_dense && sample.values.size() > dim && !is_cut) {
      note(row, extra, "ctf-many-values", &stream);
      return false;
    }
    if (is_dense && sample.values.size() < dim) warn(row, bar, "ctf-few-values", &stream);
    if (is_dense) sample.values.resize(dim);
    value_count += sample.values.size();
    parsed_.sequence.streams[stream_number].samples.push_back(std::move(sample));
    return true;
  }

  /// Reads `index:` of a pair.
  bool parse_index(const Row& row, std::size_t& at, const StreamOptions& stream,
                   ReferenceSample& sample) {
    std::size_t end = at;
    std::uint64_t index = 0;
    bool overflows = false;
    for (; end < row.text.size() && is_digit(row.text[end]); ++end) {
      const std::uint64_t longer = index * 10 + static_cast<std::uint64_t>(row.text[end] - '0');
      overflows = overflows || longer < index;
      index = longer;
    }
    const bool is_below = index < static_cast<std::uint64_t>(stream.sample_shape->size());
    std::string code;
    if (end > at && (overflows || !is_below)) {
      code = "ctf-index-range";
    } else if (end == row.text.size() && !row.has_row_end) {
      code = "ctf-cut-short";
    } else if (end == at || end == row.text.size() || row.text[end] != ':') {
      code = "ctf-pair";
    }
    if (!code.empty()) {
      note(row, at, code, &stream);
      return false;
    }
    sample.indices.push_back(static_cast<std::int64_t>(index));
    at = end + 1;
    return true;
  }

  bool parse_number(const Row& row, std::size_t& at, const StreamOptions& stream,
                    ReferenceSample& sample) {
    std::size_t size = 0;
    while (at + size < row.text.size() && !is_end(row.text[at + size])) ++size;
    const std::string token = row.text.substr(at, size);
    const std::string number = token.substr(0, number_size(token));
    const std::string after = token.substr(number.size());
    if (number.empty() || !(after.empty() || after[0] == '-' || after[0] == '+')) {
      const bool is_cut = !row.has_row_end && at + size == row.text.size() && is_half_number(token);
      note(row, at, is_cut ? "ctf-cut-short" : "ctf-number", &stream);
      return false;
    }
    const ElementType type = stream.dtype.value_or(ElementType::f32);
    if (is_digit_by_digit(type)) {
      std::uint64_t bits = 0;
      const Fit fit = fit_number(number, type, bits);
      if (fit == Fit::no_number || fit == Fit::out_of_range) {
        note(row, at, fit == Fit::no_number ? "ctf-number" : "ctf-number-range", &stream);
        return false;
      }
      sample.values.push_back(bits);
    } else if (type == ElementType::f32) {
      sample.values.push_back(std::bit_cast<std::uint32_t>(std::strtof(number.c_str(), nullptr)));
    } else {
      sample.values.push_back(std::bit_cast<std::uint64_t>(std::strtod(number.c_str(), nullptr)));
    }
    at += number.size();
    return true;
  }

  void finish() {
    ReferenceSequence& sequence = parsed_.sequence;
    if (options_.keys == KeyType::text) {
      sequence.key = ctf_reference_key(group_.key);
      sequence.key_text = group_.key;
    } else {
      sequence.key.low = std::strtoull(group_.key.c_str(), nullptr, 10);
    }
    const Row& first = group_.rows.front();
    sequence.first_line = first.line;
    sequence.sample_count = group_.length;
    const StreamOptions* longest = nullptr;
    std::int64_t length = 0;
    const bool has_defining =
        std::ranges::any_of(options_.streams, &StreamOptions::defines_minibatch_size);
    for (std::size_t i = 0; i < options_.streams.size(); ++i) {
      const StreamOptions& stream = options_.streams[i];
      ReferenceStream& read = sequence.streams[i];
      if (read.samples.empty() && options_.missing_streams == MissingStreams::error) {
        sequence.is_hole = true;
        note(first, 0, "ctf-missing-stream", &stream, Severity::fatal);
      }
      read.is_present = !read.samples.empty();
      if (has_defining && !stream.defines_minibatch_size) continue;
      const auto count = static_cast<std::int64_t>(read.samples.size());
      if (longest == nullptr || count > length) longest = &stream;
      length = std::max(length, count);
    }
    if (sequence.is_hole) {
      for (ReferenceStream& stream : sequence.streams) stream = {.is_present = true, .samples = {}};
    } else if (length != group_.length) {
      note(first, 0, length > group_.length ? "ctf-many-samples" : "ctf-few-samples", longest);
    }
  }

  const FormatOptions& options_;
  const Group& group_;
  Parsed parsed_;
  std::vector<std::size_t> values_;  // [stream]: the number so far
  std::size_t name_size_max_ = 0;
};

}  // namespace

ReferenceResult ctf_cntk_reference(std::string_view bytes, const FormatOptions& options) {
  ReferenceResult result;
  const std::size_t mark = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t begin = bytes.find_first_not_of(kSpaces, mark);
  if (begin == std::string_view::npos) {
    result.fatal = location({"", false, 0, 1}, 0, "ctf-empty");
    return result;
  }
  const std::string_view before = bytes.substr(mark, begin - mark);
  const std::int64_t line = 1 + std::ranges::count(before, '\n');
  const std::size_t row_begin = before.rfind('\n') + 1;  // 0 in the first row
  const auto column = static_cast<std::int64_t>(before.size() - row_begin) + 1;

  const std::vector<Row> rows = rows_of(bytes, begin, line, column);
  const bool has_texts = options.keys == KeyType::text;
  const bool begins_item = bytes[begin] == '|';
  const bool has_ids = !options.skip_sequence_ids && (has_texts || !begins_item);
  const bool is_cut_id =
      rows.size() == 1 && !rows[0].has_row_end && std::ranges::all_of(rows[0].text, is_digit);
  if (has_ids && ((!has_texts && !is_digit(bytes[begin])) || begins_item || is_cut_id)) {
    result.fatal = location(rows[0], 0, "ctf-no-id");
    return result;
  }
  const std::vector<Group> groups = Grouping(options, has_ids).groups_of(rows, result.fatal);
  if (groups.empty() && !result.fatal) {
    result.fatal = location({"", false, 0, 1}, 0, "ctf-empty");
    result.fatal->stream = defining_stream_of(options)->name;
    return result;
  }
  for (const Group& group : groups) {
    Parsed parsed = SequenceParser(options, group).take();
    for (ReferenceDiagnostic& diagnostic : parsed.diagnostics) {
      diagnostic.sequence = std::ssize(result.sequences);
      result.diagnostics.push_back(std::move(diagnostic));
    }
    result.sequences.push_back(std::move(parsed.sequence));
  }
  std::sort(result.diagnostics.begin(), result.diagnostics.end());
  return result;
}

}  // namespace sheaf::conformance
