#include "format/image_folder/image_folder_classes.h"

#include <cstdint>
#include <set>

#include "sheaf/diagnostic.h"

#include "format/image_folder/image_folder_errors.h"
#include "format/images/class_id.h"
#include "format/text/row_reader.h"
#include "format/text/text_format.h"

namespace sheaf::image_folder {
namespace {

constexpr std::int64_t kNamesReadSize = std::int64_t{64} << 10;
constexpr std::int64_t kNameSizeMax = std::int64_t{1} << 20;

}  // namespace

std::vector<std::string> read_class_names(const ByteSource& source) {
  internal::RowReader rows(source, 0, source.size(), 1, kNamesReadSize, kNameSizeMax);
  internal::Row row;
  std::vector<std::string> names;
  std::set<std::string, std::less<>> known;
  while (rows.next(row)) {
    if (row.text().empty()) continue;
    if (std::ssize(names) > internal::kClassIdMax) {
      internal::throw_data_error(source, row, row.begin, kManyNames, quoted(row.text()), "");
    }
    if (!known.emplace(row.text()).second) {
      internal::throw_data_error(source, row, row.begin, kRepeatedName, quoted(row.text()), "");
    }
    names.emplace_back(row.text());
  }
  if (names.empty()) {
    internal::throw_data_error(source, {.line = 1}, nullptr, kNoNames,
                               source.size() == 0 ? "an empty file" : "only blank lines", "");
  }
  return names;
}

}  // namespace sheaf::image_folder
