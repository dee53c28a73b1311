// Parses texts of any kind to one form.

#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/types.h"

#include "format/kaldi/kaldi_errors.h"
#include "format/kaldi/kaldi_object.h"
#include "format/kaldi/kaldi_options.h"

namespace sheaf::kaldi {

/// The contents of a text. Values have the type of the stream, which a double represents exactly.
struct TextObject {
  internal::KaldiKind kind = internal::KaldiKind::matrix;
  std::int64_t rows = 0;
  std::int64_t cols = 0;  // for a sparse matrix, the dim
  std::vector<double> values{};
  std::vector<std::int32_t> indices{};  // of posteriors and sparse matrices
  std::vector<std::int64_t>
      counts{};  // number of values of each sample, of posteriors, sparse matrices and lists
  std::int64_t size_bytes = 0;  // bytes of the text, with its line end
};

/// Parses the object at the front of a text. `as` limits the kinds. Brackets distinguish vectors
/// and matrices from integers. A matrix has a line end or ";" after a row.
///
/// Errors: as the parsers of kaldi_text.h. Classes are below `dim`.
[[nodiscard]] std::variant<TextObject, internal::KaldiFault> parse_text_object(
    std::string_view text, As as, ElementType type, std::int64_t dim);

}  // namespace sheaf::kaldi
