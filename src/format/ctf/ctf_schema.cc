#include "format/ctf/ctf_schema.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/ctf/cntk/ctf_cntk_rows.h"
#include "format/ctf/ctf_errors.h"
#include "format/ctf/ctf_hints.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

/// Refuses a name that no file can have.
void check_file_name(const StreamOptions& options, std::string_view name) {
  const auto is_bad = [](char c) { return is_blank(c) || is_control(c) || c == '|'; };
  if (name.empty() || name.front() == '#' || std::ranges::any_of(name, is_bad)) {
    throw ConfigError(formatted(
        "stream {}: no file can call a stream {}: a name has no blank, no \"|\", no control byte, "
        "and does not begin with \"#\"",
        quoted(options.name), quoted(name)));
  }
}

/// Finds the first row as CNTK does: skips white space of every kind, and takes what follows as
/// data.
Head first_head_of_cntk(const Row& row) noexcept {
  constexpr std::string_view kSpace = " \t\r\v\f";
  Head head;
  head.items = row.begin;
  while (head.items != row.end && kSpace.find(*head.items) != std::string_view::npos) ++head.items;
  head.is_data = head.items != row.end;
  head.has_id = head.is_data && is_digit(*head.items);
  return head;
}

}  // namespace

void check_options(const FormatOptions& options) {
  internal::check_text_options(options);
  if (options.keys == KeyType::text && options.skip_sequence_ids) {
    throw ConfigError("keys: text needs the ids that skip_sequence_ids passes over");
  }
  check_format_options("ctf", {}, options.extra);
}

Schema make_schema(const FormatOptions& options) {
  internal::CheckedStreams checked = internal::check_streams(options, "ctf", check_file_name);
  const std::int64_t memory_limit = options.index.memory_limit_bytes.value_or(0);
  const bool is_cntk = options.compatibility == Compatibility::cntk;
  // First the calls that may throw: g++ 12 destroys members of a braced list that are not
  // constructed yet.
  StreamNames names(std::move(checked.file_names));
  internal::TextSchema text;
  text.streams = std::move(checked.streams);
  text.defining_stream = checked.defining_stream;
  text.chunk_size_bytes = options.chunk_size_bytes;
  text.read_size_bytes = options.read_size_bytes;
  text.row_size_max_bytes = internal::row_size_max(memory_limit, options.read_size_bytes);
  text.table_size_max_bytes = internal::table_size_max(memory_limit);
  text.fills_up = is_cntk;
  text.has_text_keys = options.keys == KeyType::text;
  return {std::move(text), std::move(names), is_cntk,
          options.missing_streams == MissingStreams::allow, options.skip_sequence_ids};
}

Beginning find_beginning(const ByteSource& source, const FormatOptions& options) {
  Beginning beginning;
  beginning.offset = internal::skip_byte_order_mark(source, kUtf16);
  if (options.skip_sequence_ids) beginning.mode = KeyMode::lines;
  if (options.keys == KeyType::text) beginning.mode = KeyMode::texts;

  const bool is_cntk = options.compatibility == Compatibility::cntk;
  RowReader rows(source, beginning.offset, source.size(), 1, options.read_size_bytes,
                 internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                        options.read_size_bytes));
  Row row;
  while (rows.next(row)) {
    const Head head =
        is_cntk ? first_head_of_cntk(row) : lex_head(row, options.keys == KeyType::text);
    if (!head.is_data) continue;
    if (is_cntk) {  // blanks and empty rows before the first row do not belong to it
      beginning.offset = row.offset_of(head.items);
      beginning.line = row.line;
      beginning.column = head.items - row.begin + 1;
    }
    const bool begins_item = *head.items == '|';
    const bool has_text_id =
        beginning.mode == KeyMode::texts && (head.has_id || (is_cntk && !begins_item));
    const bool is_item = begins_item && beginning.mode != KeyMode::texts;
    const bool is_cut_id =
        is_cntk && !rows.has_row_end() && std::all_of(head.items, cntk_row_end(row), is_digit);
    if (((!head.has_id && !is_item && !has_text_id) || is_cut_id) &&
        beginning.mode != KeyMode::lines) {
      internal::throw_data_error(
          source, row, head.items, kNoId,
          quoted({head.items, static_cast<std::size_t>(row.end - head.items)}, 20),
          no_id_hint(row, head.items, options.keys == KeyType::text));
    }
    if (!head.has_id && !has_text_id) beginning.mode = KeyMode::lines;
    return beginning;
  }
  internal::throw_data_error(source, {.line = 1}, nullptr, kEmpty,
                             source.size() == 0 ? "an empty file" : "only blanks and comments", "");
}

}  // namespace sheaf::ctf
