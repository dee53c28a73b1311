#include "format/mlf/mlf_lines.h"

#include <cmath>

#include "base/number.h"
#include "base/text_scan.h"
#include "format/mlf/mlf_states.h"

namespace sheaf::mlf {
namespace {

using internal::is_blank;
using internal::is_digit;
using internal::skip_blanks;

constexpr std::string_view kMark = "#!MLF!#";

/// A time as written: a whole number, or a number with a point or an exponent.
struct Time {
  bool is_good = false;
  bool is_whole = false;
  std::int64_t whole = 0;
  double value = 0;
};

Time lex_time(const char* begin, const char* end) noexcept {
  constexpr std::ptrdiff_t kDigitsMax = 15;  // also exact as a double
  Time time;
  const char* p = begin;
  std::int64_t whole = 0;
  for (; p != end && is_digit(*p) && p - begin < kDigitsMax; ++p) whole = whole * 10 + (*p - '0');
  if (p == end && p != begin) {
    return {.is_good = true, .is_whole = true, .whole = whole, .value = static_cast<double>(whole)};
  }
  const internal::NumberResult result = internal::lex_number(begin, end, time.value);
  const bool is_number = result.code == internal::NumberCode::ok ||
                         result.code == internal::NumberCode::inexact;  // times are rounded
  time.is_good = is_number && result.next == end && std::isfinite(time.value) && time.value >= 0;
  return time;
}

/// Returns the frame of a time in 100 ns. A time beyond all limits becomes the largest number.
std::int64_t frame_of(const Time& time, bool is_htk, const Options& options) noexcept {
  constexpr double kMost = 9e15;
  if (time.is_whole) {
    return is_htk ? (2 * time.whole + options.frame_period) / (2 * options.frame_period)
                  : time.whole;
  }
  const double frame =
      is_htk ? std::floor(time.value / static_cast<double>(options.frame_period) + 0.5)
             : std::floor(time.value);
  return static_cast<std::int64_t>(frame < kMost ? frame : kMost);
}

}  // namespace

std::string_view trimmed(std::string_view line) noexcept {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

Line LineSplitter::next(const Row& row) {
  begin_ = skip_blanks(row.begin, row.end);
  end_ = row.end;
  while (end_ != begin_ && is_blank(end_[-1])) --end_;
  if (begin_ == end_) return Line::none;
  const bool is_end = end_ - begin_ == 1 && *begin_ == '.';
  if (is_inside_) {
    if (!is_end) return Line::range;
    is_inside_ = false;
    return Line::end;
  }
  // CNTK accepts neither blanks around the mark nor blanks in front of a name. It takes a stray end
  // for a wrong name, and leaves out the lines up to the next end.
  const bool is_cntk = options_.is_cntk;
  if (text() == kMark && (!is_cntk || row.text() == kMark)) return Line::none;
  set_name(is_cntk && begin_ != row.begin);
  is_inside_ = is_cntk || !is_end;
  return is_inside_ ? Line::name : Line::stray;
}

void LineSplitter::set_name(bool is_indented) {
  const std::string_view line = text();
  std::string_view name = line;
  has_name_ = !is_indented && line.size() > 2 && line.front() == '"' && line.back() == '"';
  if (has_name_) {
    constexpr std::string_view kAnyFolder = "*/";
    name = line.substr(1, line.size() - 2);
    if (name.size() > kAnyFolder.size() && name.starts_with(kAnyFolder)) {
      name.remove_prefix(kAnyFolder.size());
    }
    name = name.substr(0, name.rfind('.'));
    // CNTK treats quotes and wildcards inside as letters.
    has_name_ = !name.empty() && (options_.is_cntk || name.find_first_of("\"*?") == name.npos);
  }
  key_text_ = has_name_ ? name : line;
  const std::optional<SequenceKey> key = key_of_name(key_text_, options_);
  has_key_ = key.has_value();
  key_ = key.value_or(SequenceKey{});
}

std::optional<SequenceKey> key_of_name(std::string_view name, const Options& options) {
  return options.has_text_keys ? key_of_text(name) : internal::numeric_key_of(name);
}

const char* column_end(const char* p, const char* end) noexcept {
  while (p != end && !is_blank(*p)) ++p;
  return p;
}

Times lex_times(const char* begin, const char* end, const Options& options) noexcept {
  Times times;
  const auto fail = [&times](const ErrorKind& kind, const char* location) {
    times.wrong = &kind;
    times.wrong_location = location;
  };
  times.start_location = begin;
  const char* const start_end = column_end(begin, end);
  times.end_location = skip_blanks(start_end, end);
  const char* const end_end = column_end(times.end_location, end);
  if (times.end_location == end) {
    fail(options.states_path.empty() ? kFourColumns : kColumns, begin);
    return times;
  }
  const Time start = lex_time(begin, start_end);
  const Time last = lex_time(times.end_location, end_end);
  if (!start.is_good || !last.is_good) {
    fail(kTime, start.is_good ? times.end_location : begin);
    return times;
  }
  if (last.value < start.value) {
    fail(kOrder, times.end_location);
    return times;
  }
  const bool is_htk = options.is_htk(last.value - start.value);
  times.first = frame_of(start, is_htk, options);
  times.last = frame_of(last, is_htk, options);
  if (times.last > options.frames_max) {
    fail(kLong, times.end_location);
    return times;
  }
  times.rest = skip_blanks(end_end, end);
  return times;
}

Label lex_label(const char* rest, const char* end, bool has_states) noexcept {
  Label label{.begin = rest, .end = column_end(rest, end)};
  if (has_states) {
    if (rest == end) label.wrong = &kColumns;
    return label;
  }
  label.begin = skip_blanks(label.end, end);
  label.end = column_end(label.begin, end);
  if (label.begin == end || label.end != end) label.wrong = &kFourColumns;
  return label;
}

std::int64_t lex_id(std::string_view text) noexcept {
  std::int64_t id = 0;
  for (const char c : text) {
    if (!is_digit(c)) return -1;
    id = id * 10 + (c - '0');
    if (id >= kIdCount) return -1;
  }
  return text.empty() ? -1 : id;
}

}  // namespace sheaf::mlf
