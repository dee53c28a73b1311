// Reads the columns of `.sheaf` files: arrays by name, and the samples that they contain.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/types.h"

#include "conformance/format_under_test.h"
#include "reference/sheaf_layout.h"

namespace sheaf::conformance::container {

/// The values of an array as bits.
struct ColumnArray {
  ElementType type = ElementType::i64;
  std::vector<std::uint64_t> bits;
};

using ColumnArrays = std::map<std::string, ColumnArray>;

/// Returns the names of the arrays of a column, in order.
[[nodiscard]] std::vector<std::string> array_names(const FileColumn& column);

/// Returns the type of the values of an array.
[[nodiscard]] ElementType array_type(const FileColumn& column, const std::string& name);

/// Returns whether differences may be stored in an array.
[[nodiscard]] bool may_be_delta(const FileColumn& column, const std::string& name);

/// Returns the numbers of the values at which differences restart from 0, for indices or dense
/// values.
///
/// Pre: `arrays` has lengths, and for a sparse stream also entries.
[[nodiscard]] std::set<std::int64_t> starts_of(const FileColumn& column,
                                               const ColumnArrays& arrays);

/// Returns the arrays of a stored column of `count` sequences. Counts and codecs follow
/// docs/formats/sheaf.md; values may be any.
///
/// Throws: Malformed, TooLarge.
[[nodiscard]] ColumnArrays read_arrays(std::string_view stored, const FileColumn& column,
                                       std::int64_t sequence_count);

/// Throws Malformed if a value is impossible.
void check_arrays(const ColumnArrays& arrays, const FileColumn& column);

/// Returns the hash of the content of a column.
[[nodiscard]] std::uint64_t content_hash(const ColumnArrays& arrays, const FileColumn& column);

/// Returns the texts of a column of keys.
///
/// Pre: the arrays come from read_arrays().
[[nodiscard]] std::vector<std::string> texts_of(const ColumnArrays& arrays);

/// Returns the content of each sequence in the column of a stream, with the values as stored.
///
/// Pre: the arrays come from read_arrays(), and check_arrays() threw nothing.
[[nodiscard]] std::vector<ReferenceStream> streams_of(const ColumnArrays& arrays,
                                                      const FileStream& stream);

/// Returns the bytes of content that a sequence has in a column.
[[nodiscard]] std::int64_t content_size(const ReferenceStream& sequence, const FileStream& stream);
[[nodiscard]] std::int64_t content_size(const std::string& key_text);

}  // namespace sheaf::conformance::container
