// Turns rows of LibSVM format into chunks of sequences without values.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/libsvm/libsvm_schema.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::libsvm {

/// Returns a scanner that counts rows, labels and pairs by their tokens, right or wrong.
///
/// Lifetime: `source` and `schema` must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema, KeyMode mode,
                                                              const internal::ScanPart& part);

/// Returns the offset of the first row in [from, to) that begins a sequence, no matter what
/// precedes `from`. Returns `to` if there is none.
///
/// Pre: 0 < from <= to.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                                      std::int64_t from, std::int64_t to);

}  // namespace sheaf::libsvm
