// Kaldi reads numbers through streams of the standard library. A number ends where a longer text
// would not be a number. So "1-2" in a matrix is two numbers, and the text after a number decides.

#include "format/kaldi/kaldi_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/number.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "format/kaldi/kaldi_values.h"

namespace sheaf::internal {
namespace {

constexpr bool is_text_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Reads a text from the front. Faults hold the offset of the error.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
  [[nodiscard]] char next() const noexcept { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] bool is_next(char c) const noexcept { return !at_end() && text_[at_] == c; }
  [[nodiscard]] std::int64_t position() const noexcept { return static_cast<std::int64_t>(at_); }
  void step() noexcept { ++at_; }

  void skip_space() noexcept {
    while (!at_end() && is_text_space(text_[at_])) ++at_;
  }

  /// Returns the bytes up to the next space.
  [[nodiscard]] std::string_view word() const noexcept {
    const std::string_view rest = text_.substr(at_);
    const auto* const end = std::ranges::find_if(rest, is_text_space);
    return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  }
  void skip_word() noexcept { at_ += word().size(); }

  /// Skips a line end after an object.
  void skip_line_end() noexcept {
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    if (is_next('\n')) ++at_;
  }

  /// Parses a number. Takes nothing if there is no number, or none that T can represent.
  template <typename T>
  [[nodiscard]] NumberCode number(T& value) noexcept {
    if (at_end()) return NumberCode::not_a_number;
    const char* const first = text_.data() + at_;
    const auto [end, code] = lex_number(first, text_.data() + text_.size(), value);
    if (code == NumberCode::ok || code == NumberCode::inexact) {
      at_ += static_cast<std::size_t>(end - first);
    }
    return code;
  }

  [[nodiscard]] KaldiFault fault(const ErrorKind& kind) const {
    const std::string_view found = word();
    if (!found.empty()) return {&kind, position(), quoted(found)};
    return {&kind, position(), at_end() ? "the end of the text" : "the end of the line"};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool equals_lower(std::string_view word, std::string_view lower) noexcept {
  return std::ranges::equal(word, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// Parses one value of a matrix or vector.
template <typename T>
std::optional<KaldiFault> take_value(TextReader& reader, T& value) {
  if (is_digit(reader.next()) || reader.is_next('-')) {
    const NumberCode code = reader.number(value);
    if (code == NumberCode::not_a_number) return reader.fault(kKaldiTextNumber);
    if (code == NumberCode::out_of_range) return reader.fault(kKaldiTextRange);
    return std::nullopt;
  }
  const std::string_view word = reader.word();
  if (equals_lower(word, "inf") || equals_lower(word, "infinity")) {
    value = std::numeric_limits<T>::infinity();
  } else if (equals_lower(word, "nan")) {
    value = std::numeric_limits<T>::quiet_NaN();
  } else {
    return reader.fault(kKaldiTextNumber);
  }
  reader.skip_word();
  return std::nullopt;
}

/// Takes the word "[". Returns whether the object ends there, as in "[]".
std::variant<bool, KaldiFault> take_open(TextReader& reader) {
  reader.skip_space();
  const std::string_view word = reader.word();
  if (word != "[" && word != "[]") return reader.fault(kKaldiTextOpen);
  reader.skip_word();
  return word == "[]";
}

/// Takes pairs up to "]", and appends them to `to` as one sample.
std::optional<KaldiFault> take_sample(TextReader& reader, std::int64_t dim, KaldiTextSparse& to) {
  const std::size_t begin = to.values.size();
  const std::int64_t position = reader.position();
  for (;;) {
    reader.skip_space();
    if (reader.at_end()) return reader.fault(kKaldiTextClose);
    if (reader.is_next(']')) break;
    const TextReader before = reader;
    std::int32_t index = 0;
    if (reader.number(index) != NumberCode::ok) return reader.fault(kKaldiTextInteger);
    if (index < 0 || index >= dim) {
      KaldiFault fault = before.fault(kKaldiClass);
      fault.found = formatted("{} of {}", index, dim);
      return fault;
    }
    reader.skip_space();
    float value = 0;
    const NumberCode code = reader.number(value);
    if (code == NumberCode::not_a_number) return reader.fault(kKaldiTextFloat);
    if (code == NumberCode::out_of_range) return reader.fault(kKaldiTextRange);
    to.indices.push_back(index);
    to.values.push_back(value);
  }
  reader.step();
  to.counts.push_back(std::ssize(to.values) - static_cast<std::int64_t>(begin));
  const auto twice =
      sort_sparse_sample(std::span(to.values).subspan(begin), std::span(to.indices).subspan(begin));
  if (!twice) return std::nullopt;
  return KaldiFault{&kKaldiRepeatedClass, position, formatted("{}", *twice)};
}

/// Takes `name` and a count that is not negative, as one word.
std::optional<KaldiFault> take_count(TextReader& reader, std::string_view name,
                                     const ErrorKind& kind, std::int64_t& count) {
  reader.skip_space();
  const std::string_view word = reader.word();
  std::int32_t number = -1;
  if (!word.starts_with(name)) return reader.fault(kind);
  TextReader digits(word.substr(name.size()));
  if (digits.number(number) != NumberCode::ok || !digits.at_end() || number < 0) {
    return reader.fault(kind);
  }
  reader.skip_word();
  count = number;
  return std::nullopt;
}

/// Returns the text up to the first line end.
std::string_view first_line(std::string_view text) noexcept {
  return text.substr(0, text.find('\n'));
}

/// Returns the bytes that the first line of `text` takes.
std::int64_t line_size(std::string_view line, std::string_view text) noexcept {
  return std::min(std::ssize(line) + 1, std::ssize(text));
}

}  // namespace

KaldiTextLocation location_in_text(std::string_view text, std::int64_t byte_offset) noexcept {
  assert(byte_offset >= 0 && byte_offset <= std::ssize(text));
  const std::string_view before = text.substr(0, static_cast<std::size_t>(byte_offset));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no line end
  return {std::ranges::count(before, '\n') + 1,
          static_cast<std::int64_t>(before.size() - line_begin) + 1};
}

template <typename T>
std::variant<KaldiTextValues<T>, KaldiFault> parse_text_matrix(std::string_view text) {
  TextReader reader(text);
  KaldiTextValues<T> matrix;
  auto opened = take_open(reader);
  if (auto* const fault = std::get_if<KaldiFault>(&opened)) return std::move(*fault);
  std::int64_t row_begin = 0;
  TextReader row_reader = reader;  // at the first value of the row
  const auto end_row = [&]() -> std::optional<KaldiFault> {
    const std::int64_t size = std::ssize(matrix.values) - row_begin;
    if (size == 0) return std::nullopt;
    if (matrix.rows == 0) matrix.cols = size;
    if (size != matrix.cols) {
      return KaldiFault{&kKaldiTextRow, row_reader.position(),
                        formatted("{} values after {}", size, matrix.cols)};
    }
    ++matrix.rows;
    row_begin = std::ssize(matrix.values);
    return std::nullopt;
  };
  bool is_done = std::get<bool>(opened);
  while (!is_done) {
    if (reader.at_end()) return reader.fault(kKaldiTextClose);
    const char c = reader.next();
    if (c == '\n' || c == ';' || c == ']') {
      if (auto fault = end_row()) return *std::move(fault);
      reader.step();
      is_done = c == ']';
    } else if (is_text_space(c)) {
      reader.step();
    } else {
      if (std::ssize(matrix.values) == row_begin) row_reader = reader;
      T value = 0;
      if (auto fault = take_value(reader, value)) return *std::move(fault);
      matrix.values.push_back(value);
    }
  }
  reader.skip_line_end();
  matrix.size_bytes = reader.position();
  return matrix;
}

template std::variant<KaldiTextValues<float>, KaldiFault> parse_text_matrix(std::string_view);
template std::variant<KaldiTextValues<double>, KaldiFault> parse_text_matrix(std::string_view);

template <typename T>
std::variant<KaldiTextValues<T>, KaldiFault> parse_text_vector(std::string_view text) {
  TextReader reader(text);
  KaldiTextValues<T> vector{.cols = 1};
  auto opened = take_open(reader);
  if (auto* const fault = std::get_if<KaldiFault>(&opened)) return std::move(*fault);
  bool is_done = std::get<bool>(opened);
  while (!is_done) {
    const char c = reader.next();
    if (reader.at_end()) return reader.fault(kKaldiTextClose);
    if (c == '\n' || c == '\r') return reader.fault(kKaldiTextLine);
    if (c == ']' || is_blank(c)) {
      reader.step();
      is_done = c == ']';
      continue;
    }
    T value = 0;
    if (auto fault = take_value(reader, value)) return *std::move(fault);
    if (!reader.at_end() && !is_text_space(reader.next()) && !reader.is_next(']')) {
      return reader.fault(kKaldiTextBlank);
    }
    vector.values.push_back(value);
  }
  reader.skip_line_end();
  vector.rows = std::ssize(vector.values);
  vector.size_bytes = reader.position();
  return vector;
}

template std::variant<KaldiTextValues<float>, KaldiFault> parse_text_vector(std::string_view);
template std::variant<KaldiTextValues<double>, KaldiFault> parse_text_vector(std::string_view);

std::variant<KaldiTextValues<std::int32_t>, KaldiFault> parse_text_integers(std::string_view text) {
  const std::string_view line = first_line(text);
  TextReader reader(line);
  KaldiTextValues<std::int32_t> vector{.cols = 1};
  for (reader.skip_space(); !reader.at_end(); reader.skip_space()) {
    std::int32_t value = 0;
    if (reader.number(value) != NumberCode::ok) return reader.fault(kKaldiTextInteger);
    vector.values.push_back(value);
  }
  vector.rows = std::ssize(vector.values);
  vector.size_bytes = line_size(line, text);
  return vector;
}

std::variant<KaldiTextSparse, KaldiFault> parse_text_posterior(std::string_view text,
                                                               std::int64_t dim) {
  const std::string_view line = first_line(text);
  TextReader reader(line);
  KaldiTextSparse posterior{.dim = dim};
  for (reader.skip_space(); !reader.at_end(); reader.skip_space()) {
    if (reader.word() != "[") return reader.fault(kKaldiTextOpen);
    reader.step();
    if (auto fault = take_sample(reader, dim, posterior)) return *std::move(fault);
  }
  posterior.size_bytes = line_size(line, text);
  return posterior;
}

std::variant<KaldiTextSparse, KaldiFault> parse_text_sparse(std::string_view text) {
  TextReader reader(text);
  KaldiTextSparse matrix;
  std::int64_t rows = 0;
  if (auto fault = take_count(reader, "rows=", kKaldiTextRows, rows)) return *std::move(fault);
  for (std::int64_t r = 0; r < rows; ++r) {
    reader.skip_space();
    const TextReader row_reader = reader;
    std::int64_t dim = 0;
    if (auto fault = take_count(reader, "dim=", kKaldiTextDim, dim)) return *std::move(fault);
    if (r > 0 && dim != matrix.dim) {
      return KaldiFault{&kKaldiRowDim, row_reader.position(),
                        formatted("{} after {}", dim, matrix.dim)};
    }
    matrix.dim = dim;
    reader.skip_space();
    if (reader.word() != "[") return reader.fault(kKaldiTextOpen);
    reader.step();
    if (auto fault = take_sample(reader, dim, matrix)) return *std::move(fault);
  }
  while (!reader.at_end() && is_blank(reader.next())) reader.step();
  reader.skip_line_end();
  matrix.size_bytes = reader.position();
  return matrix;
}

}  // namespace sheaf::internal
