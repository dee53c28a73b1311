// Encodes values as objects, with the bytes of Kaldi's own writer.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "format/kaldi/kaldi_compressed.h"

namespace sheaf::internal {

// Each function appends one object to `to`. Counts of rows, columns, elements and frames are below
// 2^31. encode_compressed() in kaldi_compressed.h encodes CM, CM2 and CM3.

/// Encodes a matrix as FM or DM.
///
/// Pre: values.size() == rows * cols.
template <typename T>
void encode_matrix(std::span<const T> values, std::int64_t rows, std::int64_t cols,
                   std::string& to);

extern template void encode_matrix(std::span<const float>, std::int64_t, std::int64_t,
                                   std::string&);
extern template void encode_matrix(std::span<const double>, std::int64_t, std::int64_t,
                                   std::string&);

/// Encodes a vector as FV or DV.
template <typename T>
void encode_vector(std::span<const T> values, std::string& to);

extern template void encode_vector(std::span<const float>, std::string&);
extern template void encode_vector(std::span<const double>, std::string&);

/// Encodes a vector of int32.
void encode_integers(std::span<const std::int32_t> values, std::string& to);

/// Encodes a vector of vectors of int32. `counts` has the number of values of each.
///
/// Pre: the counts add up to values.size(). The same holds for the next functions.
void encode_lists(std::span<const std::int32_t> values, std::span<const std::int64_t> counts,
                  std::string& to);

/// Encodes a posterior. `counts` has the number of pairs of each frame.
void encode_posterior(std::span<const float> values, std::span<const std::int32_t> indices,
                      std::span<const std::int64_t> counts, std::string& to);

/// Encodes a sparse matrix as SM. `counts` has the number of pairs of each row.
void encode_sparse(std::span<const float> values, std::span<const std::int32_t> indices,
                   std::span<const std::int64_t> counts, std::int64_t dim, std::string& to);

// Text has seven digits for each float, like Kaldi's. Kaldi can read inf and nan, but not -inf.

/// Encodes a matrix as text. A matrix without columns is empty.
///
/// Pre: values.size() == rows * cols.
template <typename T>
void encode_text_matrix(std::span<const T> values, std::int64_t rows, std::int64_t cols,
                        std::string& to);

extern template void encode_text_matrix(std::span<const float>, std::int64_t, std::int64_t,
                                        std::string&);
extern template void encode_text_matrix(std::span<const double>, std::int64_t, std::int64_t,
                                        std::string&);

/// Encodes a vector of floats as text.
template <typename T>
void encode_text_vector(std::span<const T> values, std::string& to);

extern template void encode_text_vector(std::span<const float>, std::string&);
extern template void encode_text_vector(std::span<const double>, std::string&);

/// Encodes a vector of int32 as a line of text.
void encode_text_integers(std::span<const std::int32_t> values, std::string& to);

/// Encodes a posterior as a line of text.
void encode_text_posterior(std::span<const float> values, std::span<const std::int32_t> indices,
                           std::span<const std::int64_t> counts, std::string& to);

}  // namespace sheaf::internal
