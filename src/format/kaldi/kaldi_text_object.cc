#include "format/kaldi/kaldi_text_object.h"

#include <limits>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_text.h"

namespace sheaf::kaldi {
namespace {

using internal::KaldiFault;
using internal::KaldiKind;
using internal::KaldiTextSparse;
using internal::KaldiTextValues;

using Parsed = std::variant<TextObject, KaldiFault>;

template <typename T>
Parsed object_of(std::variant<KaldiTextValues<T>, KaldiFault> parsed, KaldiKind kind) {
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
  const auto& values = std::get<KaldiTextValues<T>>(parsed);
  return TextObject{.kind = kind,
                    .rows = values.rows,
                    .cols = values.cols,
                    .values = {values.values.begin(), values.values.end()},
                    .indices = {},
                    .counts = {},
                    .size_bytes = values.size_bytes};
}

Parsed object_of(std::variant<KaldiTextSparse, KaldiFault> parsed, KaldiKind kind) {
  if (auto* const fault = std::get_if<KaldiFault>(&parsed)) return std::move(*fault);
  auto& sparse = std::get<KaldiTextSparse>(parsed);
  TextObject object{.kind = kind};
  object.rows = std::ssize(sparse.counts);
  object.cols = sparse.dim;
  object.values.assign(sparse.values.begin(), sparse.values.end());
  object.indices = std::move(sparse.indices);
  object.counts = std::move(sparse.counts);
  object.size_bytes = sparse.size_bytes;
  return object;
}

// Returns the size of the line at the front, with its end.
std::size_t line_size(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Parses "1 2 ; 3 4": groups of whole numbers on one line. The ";" after the last group may be
// missing.
Parsed parse_groups(std::string_view text, KaldiKind kind) {
  TextObject object{.kind = kind};
  object.size_bytes = static_cast<std::int64_t>(line_size(text));
  std::string_view rest = text.substr(0, line_size(text));
  std::int64_t at = 0;
  while (rest.find_first_not_of(" \t\r\n") != std::string_view::npos) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    auto parsed = internal::parse_text_integers(rest.substr(0, end));
    if (auto* const fault = std::get_if<KaldiFault>(&parsed)) {
      fault->byte_offset += at;
      return std::move(*fault);
    }
    const std::vector<std::int32_t>& group = std::get<0>(parsed).values;
    if (kind == KaldiKind::pairs && group.size() != 2) {
      return KaldiFault{&kTextPair, at, formatted("{} numbers", group.size())};
    }
    object.values.insert(object.values.end(), group.begin(), group.end());
    if (kind == KaldiKind::lists) object.counts.push_back(std::ssize(group));
    ++object.rows;
    at += static_cast<std::int64_t>(std::min(end + 1, rest.size()));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  object.cols = kind == KaldiKind::pairs ? 2 : 0;
  return object;
}

// Parses a number on a line of its own.
template <typename T>
Parsed parse_scalar(std::string_view text) {
  const std::size_t size = line_size(text);
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), size);
  const std::size_t last = text.substr(0, size).find_last_not_of(" \t\r\n");
  const std::string_view number =
      last == std::string_view::npos ? "" : text.substr(begin, last + 1 - begin);
  T value{};
  const auto result =
      number.empty() ? internal::NumberResult{nullptr, internal::NumberCode::not_a_number}
                     : internal::lex_number(number.data(), number.data() + number.size(), value);
  const bool is_whole_type = std::numeric_limits<T>::is_integer;
  const bool is_good = result.code == internal::NumberCode::ok ||
                       (result.code == internal::NumberCode::inexact && !is_whole_type);
  if (!is_good || result.next != number.data() + number.size()) {
    return KaldiFault{&kTextScalar, static_cast<std::int64_t>(begin), quoted(number)};
  }
  return TextObject{.kind = KaldiKind::scalar,
                    .rows = 1,
                    .cols = 1,
                    .values = {static_cast<double>(value)},
                    .indices = {},
                    .counts = {},
                    .size_bytes = static_cast<std::int64_t>(size)};
}

template <typename T>
Parsed parse_bracketed(std::string_view text, As as) {
  const std::size_t open = text.find('[');
  const std::string_view inside = text.substr(open, text.substr(open).find(']'));
  const bool is_matrix = as != As::frames && inside.find_first_of("\n;") != std::string_view::npos;
  if (is_matrix) return object_of(internal::parse_text_matrix<T>(text), KaldiKind::matrix);
  return object_of(internal::parse_text_vector<T>(text), KaldiKind::vector);
}

}  // namespace

Parsed parse_text_object(std::string_view text, As as, ElementType type, std::int64_t dim) {
  const bool is_double = type == ElementType::f64;
  switch (as) {
    case As::posteriors:
      return object_of(internal::parse_text_posterior(text, dim), KaldiKind::posteriors);
    case As::pairs:
      return parse_groups(text, KaldiKind::pairs);
    case As::lists:
      return parse_groups(text, KaldiKind::lists);
    case As::scalars:
      if (type == ElementType::i32) return parse_scalar<std::int32_t>(text);
      return is_double ? parse_scalar<double>(text) : parse_scalar<float>(text);
    case As::one_hot:
      return object_of(internal::parse_text_integers(text), KaldiKind::integers);
    default:
      break;
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n\f\v");
  if (first != std::string_view::npos && text[first] == 'r') {
    return object_of(internal::parse_text_sparse(text), KaldiKind::sparse);
  }
  if (first != std::string_view::npos && text[first] == '[') {
    return is_double ? parse_bracketed<double>(text, as) : parse_bracketed<float>(text, as);
  }
  return object_of(internal::parse_text_integers(text), KaldiKind::integers);
}

}  // namespace sheaf::kaldi
