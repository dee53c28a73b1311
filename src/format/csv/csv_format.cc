#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/extend/format.h"

#include "format/csv/csv_cells.h"
#include "format/csv/csv_deserializer.h"
#include "format/csv/csv_options.h"
#include "format/csv/csv_serializer.h"

namespace sheaf {
namespace {

std::size_t cell_count(std::string_view row, char delimiter) {
  const char* const end = row.data() + row.size();
  std::size_t count = 1;
  for (const char* p = row.data();; ++p, ++count) {
    p = csv::lex_cell(p, end, delimiter).next;
    if (p == end) return count;
  }
}

// A CSV file has two complete rows without control bytes that have the same number of cells, and
// more than one cell. Texts of many other formats have commas in their first row only.
Recognition recognize_csv(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // a byte order mark
  const std::size_t first_end = bytes.find('\n');
  if (first_end == std::string_view::npos) return Recognition::no;
  const std::size_t second_end = bytes.find('\n', first_end + 1);
  if (second_end == std::string_view::npos) return Recognition::no;
  const std::string_view first = bytes.substr(0, first_end);
  const std::string_view second = bytes.substr(first_end + 1, second_end - first_end - 1);
  if (bytes.substr(0, second_end).find('\0') != std::string_view::npos) return Recognition::no;
  for (const char delimiter : {',', '\t', ';'}) {
    const std::size_t count = cell_count(first, delimiter);
    if (count > 1 && cell_count(second, delimiter) == count) return Recognition::possible;
  }
  return Recognition::no;
}

}  // namespace

Format csv_format();

Format csv_format() {
  static constexpr std::array<std::string_view, 2> kExtensions = {"csv", "tsv"};
  return {.name = "csv",
          .description = "tables of comma- or tab-separated values",
          .extensions = kExtensions,
          .recognize = recognize_csv,
          .open = [](const OpenRequest& request) -> std::unique_ptr<Deserializer> {
            return std::make_unique<csv::CsvDeserializer>(request);
          },
          .create = [](CreateRequest request) -> std::unique_ptr<Serializer> {
            return std::make_unique<csv::CsvSerializer>(std::move(request.sink), request.streams,
                                                        request.options);
          },
          .read_options = csv::kReadOptions,
          .write_options = csv::kWriteOptions};
}

}  // namespace sheaf
