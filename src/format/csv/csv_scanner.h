// Finds the sequences of a CSV file.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/csv/csv_schema.h"
#include "index/chunk_finder.h"

namespace sheaf::csv {

/// Returns a scanner of a part's rows. It reads the ends of rows and the keys, but never values.
///
/// Lifetime: the arguments must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema,
                                                              const internal::ScanPart& part);

}  // namespace sheaf::csv
