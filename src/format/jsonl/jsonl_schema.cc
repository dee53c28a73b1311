#include "format/jsonl/jsonl_schema.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "base/utf8.h"
#include "format/jsonl/jsonl_options.h"
#include "format/sample_shape.h"
#include "format/text/text_format.h"

namespace sheaf::jsonl {
namespace {

[[noreturn]] void refuse_stream(const StreamOptions& options, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", sheaf::quoted(options.name), why));
}

bool is_bytes(const StreamOptions& stream) noexcept {
  return stream.dtype == ElementType::bytes ||
         (!stream.dtype && stream.sample_shape && !stream.sample_shape->is_fixed());
}

Stream checked_bytes(const StreamOptions& options) {
  const Shape any{Shape::kVariable};
  if (options.storage == Storage::sparse) refuse_stream(options, "texts are dense, not sparse");
  if (options.sample_shape.value_or(any) != any) {
    refuse_stream(options, formatted("texts have samples of shape {}, got {}", to_string(any),
                                     to_string(*options.sample_shape)));
  }
  return {.name = options.name,
          .element_type = ElementType::bytes,
          .sample_shape = any,
          .defines_minibatch_size = options.defines_minibatch_size};
}

// Checks streams of texts here. All others are checked as in other formats.
internal::CheckedStreams checked_streams(const FormatOptions& options) {
  constexpr auto kAnyName = [](const StreamOptions& stream, std::string_view name) {
    if (!internal::is_utf8(name)) {
      refuse_stream(stream, formatted("a name of JSON is UTF-8, got {}", sheaf::quoted(name)));
    }
  };
  FormatOptions numbers = options;
  for (StreamOptions& stream : numbers.streams) {
    if (!is_bytes(stream)) continue;
    static_cast<void>(checked_bytes(stream));
    stream.dtype = ElementType::u8;
    stream.sample_shape = Shape{1};
  }
  internal::CheckedStreams checked = internal::check_streams(numbers, "jsonl", kAnyName);
  for (std::size_t i = 0; i < checked.streams.size(); ++i) {
    if (is_bytes(options.streams[i])) checked.streams[i] = checked_bytes(options.streams[i]);
  }
  return checked;
}

KeyMode first_key_mode(RowReader& rows, Row row, const std::string& name) {
  Line line;
  do {
    if (is_blank_row(row) || !line.read(row)) continue;
    const Field* const field = line.find(name);
    if (field == nullptr) continue;
    return field->form == Form::number ? KeyMode::numbers : KeyMode::texts;
  } while (rows.next(row));
  return KeyMode::texts;
}

LineKey numeric_key(const Field& field) {
  LineKey key{.field = &field};
  const char* const end = scalar_end(field.value);
  const auto [stop, error] = std::from_chars(field.value, end, key.key.low);
  if (field.form == Form::number && error == std::errc() && stop == end) return key;
  key.key.low = std::numeric_limits<std::uint64_t>::max();
  key.wrong = &kNumericKey;
  return key;
}

LineKey text_key(const Field& field) {
  LineKey key{.field = &field};
  if (field.form == Form::text) {
    const char* const begin = field.value + 1;
    const std::string_view text(begin, static_cast<std::size_t>(string_end(begin) - begin));
    key.text.resize(text.size());
    key.text.resize(static_cast<std::size_t>(unescape(text, key.text.data()) - key.text.data()));
  } else if (field.form == Form::number) {
    key.text.assign(field.value, scalar_end(field.value));
    if (key.text.find_first_not_of("-0123456789") != std::string::npos) key.text.clear();
  }
  key.key = key_of_text(key.text);
  if (key.text.empty()) key.wrong = &kTextKey;
  return key;
}

}  // namespace

void check_options(const FormatOptions& options) {
  internal::check_text_options(options);
  check_format_options("jsonl", kReadOptions, options.extra);
  const std::string_view key = value_of(kKeyOption, options.extra);
  if (key.empty() && options.keys == KeyType::text) {
    throw ConfigError(
        "keys: lines of jsonl have no keys of their own; jsonl.key says which field has them "
        "(--format-option jsonl.key=FIELD)");
  }
  if (!key.empty() && options.skip_sequence_ids) {
    throw ConfigError("jsonl.key: names the keys that skip_sequence_ids passes over");
  }
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of jsonl to be compatible with");
  }
  if (!options.streams.empty() && !value_of(kFieldsOption, options.extra).empty()) {
    throw ConfigError("jsonl.fields: streams are declared, which says the same");
  }
  for (const StreamOptions& stream : options.streams) {
    if (!key.empty() && internal::file_name_of(stream) == key) {
      refuse_stream(stream, "the field has the keys (jsonl.key), and is no stream");
    }
  }
}

bool needs_streams(const FormatOptions& options) {
  return options.streams.empty() || std::ranges::any_of(options.streams, [](const auto& stream) {
           return !stream.sample_shape && !is_bytes(stream);
         });
}

Schema make_schema(const FormatOptions& options, const Beginning& beginning) {
  internal::CheckedStreams checked = checked_streams(options);
  const std::int64_t memory_limit = options.index.memory_limit_bytes.value_or(0);
  Schema schema;
  schema.streams = std::move(checked.streams);
  schema.defining_stream = checked.defining_stream;
  schema.chunk_size_bytes = options.chunk_size_bytes;
  schema.read_size_bytes = options.read_size_bytes;
  schema.row_size_max_bytes = internal::row_size_max(memory_limit, options.read_size_bytes);
  schema.table_size_max_bytes = internal::table_size_max(memory_limit);
  schema.has_text_keys = beginning.key_mode == KeyMode::texts;
  schema.names = std::move(checked.file_names);
  for (const std::string& name : schema.names) {
    schema.numbers.emplace(name, std::ssize(schema.numbers));
  }
  schema.key_mode = beginning.key_mode;
  schema.key_field = value_of(kKeyOption, options.extra);
  schema.allows_missing = options.missing_streams == MissingStreams::allow;
  schema.warns_of_unknown = value_of(kFieldsOption, options.extra).empty();
  return schema;
}

Beginning find_beginning(const ByteSource& source, const FormatOptions& options) {
  Beginning beginning;
  beginning.offset = internal::skip_byte_order_mark(source, kUtf16);
  RowReader rows(source, beginning.offset, source.size(), 1, options.read_size_bytes,
                 internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                        options.read_size_bytes));
  Row row;
  do {
    if (!rows.next(row)) {
      internal::throw_data_error(source, {.line = 1}, nullptr, kEmpty,
                                 source.size() == 0 ? "an empty file" : "only blank lines", "");
    }
  } while (is_blank_row(row));
  const char* const first = skip_space(row.begin);
  if (*first != '{') {
    internal::throw_data_error(
        source, row, first, kNotJsonl,
        quoted({first, static_cast<std::size_t>(row.end - first)}, 20),
        *first == '[' ? "a file that is one list becomes JSON Lines with: jq -c '.[]' FILE" : "");
  }
  const std::string key(value_of(kKeyOption, options.extra));
  if (key.empty()) return beginning;
  if (options.keys) {
    beginning.key_mode = options.keys == KeyType::text ? KeyMode::texts : KeyMode::numbers;
  } else {
    beginning.key_mode = first_key_mode(rows, row, key);
  }
  return beginning;
}

LineKey key_in(const Field& field, const Schema& schema) {
  return schema.key_mode == KeyMode::numbers ? numeric_key(field) : text_key(field);
}

LineKey key_of(const Row& row, const Line* line, const Schema& schema) {
  if (schema.key_mode == KeyMode::lines) {
    return {.key = {.low = static_cast<std::uint64_t>(row.line - 1)}};
  }
  const bool is_numeric = schema.key_mode == KeyMode::numbers;
  const Field* const field = line == nullptr ? nullptr : line->find(schema.key_field);
  if (field != nullptr) return key_in(*field, schema);
  LineKey key{.wrong = &kNoKey};
  if (is_numeric) {
    key.key.low = std::numeric_limits<std::uint64_t>::max();
  } else {
    key.key = key_of_text("");
  }
  return key;
}

}  // namespace sheaf::jsonl
