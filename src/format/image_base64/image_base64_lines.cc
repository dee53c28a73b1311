#include "format/image_base64/image_base64_lines.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

#include "sheaf/error.h"

#include "base/base64.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "format/image_base64/image_base64_errors.h"
#include "format/text/scanned_chunk.h"
#include "format/text/text_format.h"

namespace sheaf::image_base64 {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Returns the column at `p`, up to a tab or the end.
std::string_view column_at(const char* p, const char* end) noexcept {
  return {p, static_cast<std::size_t>(std::find(p, end, '\t') - p)};
}

// CNTK ignores any text after the image.
std::string_view trimmed_image(std::string_view text, bool is_cntk) noexcept {
  const auto is_passed_over = [is_cntk](char c) {
    return is_cntk ? !internal::is_base64(c) : kBlanks.find(c) != std::string_view::npos;
  };
  while (!text.empty() && is_passed_over(text.back())) text.remove_suffix(1);
  return text;
}

void set_numeric_key(Line& line, bool is_cntk) noexcept {
  const std::string_view text = line.key_text;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, line.key.low);
  if (error == std::errc() && (is_cntk || stop == end)) return;
  line.key.low = std::numeric_limits<std::uint64_t>::max();
  line.wrong_key = is_cntk && error == std::errc::invalid_argument ? &kDigits : &kNumericKey;
}

void set_key(const Row& row, const LineForm& form, Line& line) {
  if (form.keys == LineForm::Keys::lines) {
    line.key.low = static_cast<std::uint64_t>(row.line - 1);
    return;
  }
  line.key_text = column_at(row.begin, row.end);
  if (row.offset == form.first_line && (form.is_cntk || form.keys == LineForm::Keys::numbers)) {
    line.key_text.remove_prefix(
        std::min(line.key_text.find_first_not_of(' '), line.key_text.size()));
  }
  if (form.keys == LineForm::Keys::numbers) {
    set_numeric_key(line, form.is_cntk);
    return;
  }
  if (form.is_cntk) line.key_text = line.key_text.substr(0, line.key_text.find(' '));
  line.key = key_of_text(line.key_text);
  if (line.key_text.empty()) line.wrong_key = &kNoKey;
}

}  // namespace

bool is_blank_row(const Row& row) noexcept {
  return std::all_of(row.begin, row.end,
                     [](char c) { return kBlanks.find(c) != std::string_view::npos; });
}

LineForm form_of(const ByteSource& source, const FormatOptions& options) {
  LineForm form{.begin = internal::skip_byte_order_mark(source, kUtf16),
                .is_cntk = options.compatibility == Compatibility::cntk};
  RowReader rows(source, form.begin, source.size(), 1,
                 std::min(options.read_size_bytes, RowReader::kProbeSizeBytes),
                 internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                        options.read_size_bytes));
  Row row;
  do {
    if (!rows.next(row)) {
      internal::throw_data_error(source, {.line = 1}, nullptr, kNoLine,
                                 source.size() == 0 ? "an empty file" : "only blank lines", "");
    }
  } while (is_blank_row(row));
  form.first_line = row.offset;
  const bool has_keys = std::count(row.begin, row.end, '\t') >= 2;
  const KeyType own = has_keys && !form.is_cntk ? KeyType::text : KeyType::numeric;
  const bool has_texts = options.keys.value_or(own) == KeyType::text;
  if (has_keys) {
    form.keys = has_texts ? LineForm::Keys::texts : LineForm::Keys::numbers;
  } else if (has_texts) {
    throw ConfigError(
        formatted("keys: the lines of {} have no keys, by its first line, which has fewer than "
                  "three columns; "
                  "so keys are the numbers of the lines (keys=numeric, --keys numeric)",
                  source.name()));
  }
  return form;
}

Line split_line(const Row& row, const LineForm& form) {
  Line line;
  line.is_blank = is_blank_row(row);
  if (line.is_blank) return line;
  set_key(row, form, line);
  const char* p = row.begin;
  if (form.has_keys()) {
    p = std::find(p, row.end, '\t');
    if (p == row.end) return line;
    ++p;
  }
  line.label = column_at(p, row.end);
  p += line.label.size();
  if (p == row.end) return line;
  ++p;
  line.has_columns = true;
  line.image = trimmed_image({p, static_cast<std::size_t>(row.end - p)}, form.is_cntk);
  return line;
}

}  // namespace sheaf::image_base64
