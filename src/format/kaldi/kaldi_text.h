// Parses objects that are written as text.

#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "format/kaldi/kaldi_errors.h"

namespace sheaf::internal {

/// The values of a matrix or vector. A vector is one column.
template <typename T>
struct KaldiTextValues {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<T> values = {};   // [rows, cols], row-major
  std::int64_t size_bytes = 0;  // bytes of text that the object takes, with its line end
};

/// The samples of a posterior or a sparse matrix.
struct KaldiTextSparse {
  std::int64_t dim = 0;  // dim of a sparse matrix; for a posterior, the argument
  std::vector<float> values = {};
  std::vector<std::int32_t> indices = {};  // of the values, ascending in each sample
  std::vector<std::int64_t> counts = {};   // number of values of each sample
  std::int64_t size_bytes = 0;             // bytes of text that the object takes, with its line end
};

/// The location of a byte in a text, for people. Both numbers count from 1.
struct KaldiTextLocation {
  std::int64_t line = 1;
  std::int64_t column = 1;

  friend bool operator==(const KaldiTextLocation&, const KaldiTextLocation&) = default;
};

/// Returns the line and the column, in bytes, of an offset.
///
/// Pre: 0 <= byte_offset <= text.size().
[[nodiscard]] KaldiTextLocation location_in_text(std::string_view text,
                                                 std::int64_t byte_offset) noexcept;

/// Parses a matrix at the front of `text`: "[", rows that end with a line end or ";", and "]".
/// Accepts the same texts as Kaldi's own reader. Numbers begin with a digit or "-". Other words are
/// inf, infinity or nan in any case. Rows without values do not count.
///
/// Errors: a missing bracket, a word that is not a number, a finite number out of the range of T,
///         rows of different sizes. A whole number that T cannot represent is rounded, as in Kaldi.
/// Cost:   One pass; at most about 20 bytes of memory a value.
template <typename T>
[[nodiscard]] std::variant<KaldiTextValues<T>, KaldiFault> parse_text_matrix(std::string_view text);

extern template std::variant<KaldiTextValues<float>, KaldiFault> parse_text_matrix(
    std::string_view);
extern template std::variant<KaldiTextValues<double>, KaldiFault> parse_text_matrix(
    std::string_view);

/// Parses a vector of floats at the front of `text`: "[", values on one line, "]".
///
/// Errors: as parse_text_matrix(); a line end among the values; a number that is not followed by a
///         blank or "]".
template <typename T>
[[nodiscard]] std::variant<KaldiTextValues<T>, KaldiFault> parse_text_vector(std::string_view text);

extern template std::variant<KaldiTextValues<float>, KaldiFault> parse_text_vector(
    std::string_view);
extern template std::variant<KaldiTextValues<double>, KaldiFault> parse_text_vector(
    std::string_view);

/// Parses a vector of int32 at the front of `text`: a line of whole numbers.
///
/// Errors: a word that is not an int32.
[[nodiscard]] std::variant<KaldiTextValues<std::int32_t>, KaldiFault> parse_text_integers(
    std::string_view text);

/// Parses a posterior at the front of `text`: a line of frames, each "[", pairs of an index and a
/// weight, "]". Sorts the pairs of a frame by index.
///
/// Errors: a missing bracket, a word that is not a number, an index below 0 or not below `dim`, an
///         index that occurs twice in a frame.
[[nodiscard]] std::variant<KaldiTextSparse, KaldiFault> parse_text_posterior(std::string_view text,
                                                                             std::int64_t dim);

/// Parses a sparse matrix at the front of `text`: "rows=R", and for each row "dim=D", "[", pairs of
/// an index and a value, "]".
///
/// Errors: as parse_text_posterior(); a missing count; rows of different dims.
[[nodiscard]] std::variant<KaldiTextSparse, KaldiFault> parse_text_sparse(std::string_view text);

}  // namespace sheaf::internal
