#include "format/columns/table_keys.h"

#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/columns/arrow_values.h"
#include "format/columns/column_errors.h"
#include "format/columns/text_values.h"

namespace sheaf::columns {
namespace {

[[noreturn]] void refuse_key(const ArrowBatches& batches, const ColumnRows& rows, std::int64_t row,
                             const std::string& found) {
  Diagnostic wrong = table_location(
      batches, kKey,
      formatted("{} in row {} of batch {}", found, rows.first_in_batch + row, rows.batch));
  wrong.path = batches.name_of(rows.batch);
  throw DataError({std::move(wrong)});
}

void read_numbers(const KeyColumn& column, const ColumnRows& rows, const ArrowBatches& batches,
                  TableKeys& result) {
  with_whole_type(column.format[0], [&](auto kind) {
    using From = decltype(kind);
    const From* const values =
        static_cast<const From*>(rows.array->buffers[1]) + rows.array->offset + rows.first;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (values[i] < From{}) refuse_key(batches, rows, i, formatted("{}", values[i]));
      if (column.are_texts) {
        result.texts.push_back(formatted("{}", values[i]));
      } else {
        result.keys.push_back({.low = static_cast<std::uint64_t>(values[i])});
      }
    }
  });
}

void read_texts(const KeyColumn& column, const ColumnRows& rows, const ArrowBatches& batches,
                TableKeys& result) {
  const TextValues texts(column.format, *rows.array);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::optional<std::string_view> text = texts.text(rows.first + i);
    if (!text) refuse_key(batches, rows, i, "a text outside its buffer");
    result.texts.emplace_back(*text);
  }
}

}  // namespace

TableKeys table_keys(const KeyColumn& column, const ColumnRows& rows, const ArrowBatches& batches) {
  TableKeys result;
  if (has_null(*rows.array, {rows.first, rows.first + rows.count})) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (is_null(*rows.array, rows.first + i)) refuse_key(batches, rows, i, "a null");
    }
  }
  const bool are_numbers =
      column.format.size() == 1 &&
      std::string_view("cCsSiIlL").find(column.format[0]) != std::string_view::npos;
  if (are_numbers) {
    read_numbers(column, rows, batches, result);
  } else {
    read_texts(column, rows, batches, result);
  }
  for (const std::string& text : result.texts) result.keys.push_back(key_of_text(text));
  return result;
}

}  // namespace sheaf::columns
