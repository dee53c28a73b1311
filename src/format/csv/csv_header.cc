#include "format/csv/csv_header.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "format/csv/csv_cells.h"
#include "format/text/scanned_chunk.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

[[noreturn]] void refuse(const ByteSource& source, const Row& row, const char* location,
                         const ErrorKind& kind, std::string found, std::string hint = {}) {
  internal::throw_data_error(source, line_of(row, location), location, kind, std::move(found),
                             std::move(hint));
}

// Refuses a row with a single cell if the row has another delimiter, because people forget to name
// the delimiter.
void check_delimiter(const ByteSource& source, const Row& row, const ReadOptions& read) {
  if (read.says_delimiter || *row.begin == '"') return;
  for (const char other : {',', '\t', ';', '|'}) {
    const auto count = std::count(row.begin, row.end, other);
    if (other == read.delimiter || count == 0) continue;
    const std::string expected =
        formatted("{} {}", kDelimiter.expected, delimiter_word(read.delimiter));
    refuse(
        source, row, row.begin, {kDelimiter.code, expected},
        formatted("one cell that has {} {}: {}", count, delimiter_word(other), quoted(row.text())),
        formatted("csv.delimiter={0} (--format-option csv.delimiter={0}) parts cells there; "
                  "csv.delimiter={1} reads one column",
                  delimiter_word(other), delimiter_word(read.delimiter)));
  }
}

std::vector<std::string> names_of(const ByteSource& source, const Row& row,
                                  const ReadOptions& read) {
  std::vector<std::string> names;
  std::map<std::string, std::int64_t> numbers;  // of the columns so far
  for (const char* p = row.begin;; ++p) {
    const Cell cell = lex_cell(p, row.end, read.delimiter);
    if (read.has_header) {
      if (cell.problem != nullptr) {
        refuse(source, row, cell.problem_location, *cell.problem, quoted(cell.whole()));
      }
      std::string name;
      append_text(cell, name);
      if (name.empty()) {
        refuse(
            source, row, cell.first, kName, formatted("none for column {}", names.size() + 1),
            "csv.header=no (--format-option csv.header=no) reads files whose first row has data");
      }
      const auto [same, is_new] = numbers.emplace(name, std::ssize(names));
      if (!is_new) {
        refuse(source, row, cell.first, kSameName,
               formatted("{}, the name of columns {} and {}", quoted(name), same->second + 1,
                         names.size() + 1));
      }
      names.push_back(std::move(name));
    } else {
      names.push_back(formatted("c{}", names.size()));
    }
    p = cell.next;
    if (p == row.end) break;
  }
  if (names.size() == 1) check_delimiter(source, row, read);
  return names;
}

}  // namespace

std::int64_t Beginning::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(columns, name);
  return found == columns.end() ? -1 : found - columns.begin();
}

Beginning find_beginning(const ByteSource& source, const FormatOptions& options,
                         const ReadOptions& read) {
  const std::int64_t begin = internal::skip_byte_order_mark(source, kUtf16);
  RowReader rows(
      source, begin, source.size(), 1, options.read_size_bytes,
      internal::row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes),
      read.delimiter);
  Beginning beginning;
  Row row;
  while (rows.next(row)) {
    if (row.begin == row.end) continue;
    const bool is_header = read.has_header && beginning.columns.empty();
    if (beginning.columns.empty()) {
      beginning.columns = names_of(source, row, read);
      beginning.names =
          internal::diagnostic_at(source, line_of(row, row.begin), row.begin, kColumn, "", "");
    }
    if (is_header) continue;
    beginning.offset = row.offset;
    beginning.line = row.line;
    return beginning;
  }
  internal::throw_data_error(source, {.line = 1}, nullptr, kEmpty,
                             source.size() == 0          ? "an empty file"
                             : beginning.columns.empty() ? "blank lines alone"
                                                         : "a header alone",
                             "");
}

void refuse_name(const Beginning& beginning, std::string_view where, std::string_view name) {
  constexpr std::size_t kNamesMax = 8;
  const std::vector<std::string>& names = beginning.columns;
  Diagnostic refused = beginning.names;
  refused.code = kColumn.code;
  refused.expected = formatted("{} {}, which {} names", kColumn.expected, quoted(name), where);
  for (std::size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) {
    refused.found += formatted("{}{}", i == 0 ? "" : ", ", quoted(names[i]));
  }
  if (names.size() > kNamesMax)
    refused.found += formatted(" and {} more", names.size() - kNamesMax);
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) refused.hint = formatted("did you mean {}?", quoted(nearest));
  throw DataError({std::move(refused)});
}

}  // namespace sheaf::csv
