// From rows of LibSVM format to chunks of sequences, without their values.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/libsvm/libsvm_schema.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::libsvm {

/// Counts rows, labels and pairs by the tokens, right or wrong.
///
/// Lifetime: `source` and `schema` must outlive it.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema, KeyMode mode,
                                                              const internal::ScanPart& part);

/// The first row at or behind `from` that begins a sequence, whatever stands before `from`; `to`
/// where none does that begins before there.
///
/// Pre: 0 < from <= to.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                                      std::int64_t from, std::int64_t to);

}  // namespace sheaf::libsvm
