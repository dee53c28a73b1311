// The errors in CSV: their codes and expectations, and the bytes that they point to.

#pragma once

#include <string_view>

#include "core/error_kind.h"

namespace sheaf::csv {

// The comments say which byte a diagnostic's line and column point to.
using internal::ErrorKind;

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kUtf16{"csv-utf16", "UTF-8 or plain bytes"};      // the first byte
inline constexpr ErrorKind kEmpty{"csv-empty", "at least one row of data"};  // line 1
inline constexpr ErrorKind kDelimiter{"csv-delimiter", "a row of cells parted by"};  // the row
inline constexpr ErrorKind kName{"csv-name", "a name for the column"};               // the cell
inline constexpr ErrorKind kSameName{"csv-same-name", "a name that no other column has"};
inline constexpr ErrorKind kColumn{"csv-column", "a column"};  // the first row

// Errors in the structure of a row.
inline constexpr ErrorKind kFewCells{"csv-cells", "cells"};   // the end of the row
inline constexpr ErrorKind kManyCells{"csv-cells", "cells"};  // the first cell too many
inline constexpr ErrorKind kStrayQuote{"csv-quote", "a quote at the front of a cell alone"};
inline constexpr ErrorKind kBehindQuote{"csv-quote", "the end of the cell behind the quote"};
inline constexpr ErrorKind kUnclosed{"csv-unclosed",
                                     "a quote that ends the cell"};          // the first one
inline constexpr ErrorKind kCarriageReturn{"csv-line-end", "LF behind CR"};  // the CR

// Errors in a key: its cell.
inline constexpr ErrorKind kKey{"csv-key", "a key that is a whole number"};
inline constexpr ErrorKind kKeyRange{"csv-key-range", "a key of at most 18446744073709551615"};
inline constexpr ErrorKind kNoKey{"csv-key", "a key"};
inline constexpr ErrorKind kRepeatedKey{"csv-repeated-key", "a key that no earlier sequence has"};

// Errors in a value: its cell.
inline constexpr ErrorKind kNumber{"csv-number", "a number"};
inline constexpr ErrorKind kNumberRange{"csv-number-range", "a number within the range"};
inline constexpr ErrorKind kInexact{"csv-inexact", "a whole number that"};
inline constexpr ErrorKind kMissing{"csv-missing", "a value"};
inline constexpr ErrorKind kPartly{"csv-partly-missing", "no value"};
inline constexpr ErrorKind kNoData{"csv-missing",
                                   "a value in at least one stream"};  // the first row
inline constexpr ErrorKind kClass{"csv-class", "a class that the file had when it was opened"};

// Warnings.
inline constexpr ErrorKind kMixed{"csv-mixed", "numbers alone, or texts alone"};
inline constexpr std::string_view kIndexFileCode = "csv-index-file";

}  // namespace sheaf::csv
