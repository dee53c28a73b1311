#include "arrow/arrow_keys.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "arrow/arrow_texts.h"
#include "arrow/arrow_type.h"
#include "arrow/arrow_values.h"

namespace sheaf::python {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* expected, std::string found) {
  throw DataError({{.path = path,
                    .byte_offset = Diagnostic::kNoOffset,
                    .code = "arrow-key",
                    .expected = expected,
                    .found = std::move(found)}});
}

}  // namespace

ArrowKeys arrow_keys(const ArrowSchema& schema, const ArrowArray& array, const ArrowRows& rows,
                     const std::string& path) {
  const std::string_view format = schema.format;
  if (!is_key_format(schema.format) || schema.dictionary != nullptr) {
    throw ConfigError("column \"" + std::string(name_of_column(schema)) +
                      "\": keys are whole numbers or texts, not the Arrow format \"" +
                      std::string(format) + "\": cast it first");
  }
  if (has_null(array, {rows.first, rows.first + rows.count})) {
    refuse(path, "a key for each row", "a null");
  }
  ArrowKeys result;
  if (is_number_format(schema.format)) {
    with_whole_type(format[0], [&](auto type) {
      const auto* const values =
          static_cast<const decltype(type)*>(array.buffers[1]) + array.offset + rows.first;
      for (std::int64_t i = 0; i < rows.count; ++i) {
        if (values[i] < decltype(type){}) {
          refuse(path, "a key of 0 or more", std::to_string(values[i]));
        }
        result.keys.push_back({.low = static_cast<std::uint64_t>(values[i])});
      }
    });
    return result;
  }
  for (std::int64_t i = 0; i < rows.count; ++i) {
    result.texts.emplace_back(text_at(format, array, rows.first + i));
    result.keys.push_back(key_of_text(result.texts.back()));
  }
  return result;
}

}  // namespace sheaf::python
