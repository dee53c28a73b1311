#include "format/ctf/ctf_schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/ctf/ctf_cntk_rows.h"
#include "format/ctf/ctf_errors.h"

namespace sheaf::ctf {
namespace {

/// The name that the file has, checked: one that no file can have would never be found.
std::string file_name_of(const StreamOptions& options) {
  const std::string& name = options.alias.empty() ? options.name : options.alias;
  const auto is_bad = [](char c) { return is_blank(c) || is_control(c) || c == '|'; };
  if (name.empty() || name.front() == '#' || std::ranges::any_of(name, is_bad)) {
    throw ConfigError(formatted(
        "stream {}: no file can call a stream {}: a name has no blank, no \"|\", no control byte, "
        "and does not begin with \"#\"",
        quoted(options.name), quoted(name)));
  }
  return name;
}

// `otherwise` is the type of a stream that asks for none.
Stream checked_stream(const StreamOptions& options, std::optional<ElementType> otherwise) {
  const auto refuse = [&options](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", quoted(options.name), why));
  };
  if (options.name.empty()) throw ConfigError("streams: a stream needs a name");
  if (!options.sample_shape) refuse("sample_shape (dim) is missing, and was not found");
  const Shape& shape = *options.sample_shape;
  if (!shape.is_fixed()) refuse("ctf has samples of fixed shape only, got " + to_string(shape));
  const ElementType type = options.element_type.value_or(otherwise.value_or(ElementType::f32));
  if (type != ElementType::f32 && type != ElementType::f64) {
    refuse(formatted("element_type: ctf reads f32 or f64, got {}", to_string(type)));
  }
  std::int64_t size = 1;
  for (const std::int64_t extent : shape.extents()) {
    if (__builtin_mul_overflow(size, extent, &size) || size > (std::int64_t{1} << 40)) {
      refuse(formatted("sample_shape {} has more than 2^40 values", to_string(shape)));
    }
  }
  if (options.storage == Storage::sparse) {
    if (shape.rank() != 1) refuse("a sparse stream has one extent, got " + to_string(shape));
    if (options.index_type != ElementType::i32 && options.index_type != ElementType::i64) {
      refuse(formatted("index_type: i32 or i64, got {}", to_string(options.index_type)));
    }
    constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
    if (options.index_type == ElementType::i32 && size - 1 > kMax32) {
      refuse(formatted("dim {} needs index_type i64: an i32 reaches {}", size, kMax32));
    }
  }
  return {.name = options.name,
          .element_type = type,
          .sample_shape = shape,
          .storage = options.storage,
          .index_type = options.index_type,
          .defines_minibatch_size = options.defines_minibatch_size};
}

[[noreturn]] void throw_data_error(const ByteSource& source, const Row& row, const char* place,
                                   const ErrorKind& kind, std::string found, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.path = source.name();
  diagnostic.line = row.line;
  diagnostic.column = place - row.begin + 1;
  diagnostic.byte_offset = row.offset_of(place);
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  diagnostic.hint = std::move(hint);
  if (row.begin != row.end) set_excerpt(diagnostic, row.text(), place - row.begin, 1);
  throw DataError({std::move(diagnostic)});
}

/// The first row as CNTK sees it: white space of every kind passed over; what is left is data.
Head first_head_of_cntk(const Row& row) noexcept {
  constexpr std::string_view kSpace = " \t\r\v\f";
  Head head;
  head.items = row.begin;
  while (head.items != row.end && kSpace.find(*head.items) != std::string_view::npos) ++head.items;
  head.is_data = head.items != row.end;
  head.has_id = head.is_data && is_digit(*head.items);
  return head;
}

std::string no_id_hint(char first, const FormatOptions& options) {
  if (options.keys == KeyType::text) return "keys that are texts need an id on the first row";
  const bool is_text = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                       static_cast<unsigned char>(first) >= 0x80;
  return is_text ? "ids that are not numbers are read with keys=text (--keys text)" : "";
}

}  // namespace

void check_options(const FormatOptions& options) {
  if (options.chunk_size_bytes < 1) {
    throw ConfigError(formatted("chunk_size_bytes: at least 1, got {}", options.chunk_size_bytes));
  }
  constexpr std::int64_t kReadSizeMax = std::int64_t{1} << 30;
  if (options.read_size_bytes < 1 || options.read_size_bytes > kReadSizeMax) {
    throw ConfigError(
        formatted("read_size_bytes: 1 .. {}, got {}", kReadSizeMax, options.read_size_bytes));
  }
  if (options.inference_size_bytes < 0) {
    throw ConfigError(
        formatted("inference_size_bytes: at least 0 (all), got {}", options.inference_size_bytes));
  }
  if (options.index.memory_limit_bytes < 0) {
    throw ConfigError(formatted("index.memory_limit_bytes: at least 0 (no limit), got {}",
                                options.index.memory_limit_bytes));
  }
  if (options.keys == KeyType::text && options.skip_sequence_ids) {
    throw ConfigError("keys: text needs the ids that skip_sequence_ids passes over");
  }
  if (!options.extra.empty()) {
    throw ConfigError(formatted("extra: ctf has no option \"{}\"", options.extra.begin()->first));
  }
}

bool needs_inference(const FormatOptions& options) {
  const auto lacks_dim = [](const StreamOptions& stream) { return !stream.sample_shape; };
  return options.streams.empty() || std::ranges::any_of(options.streams, lacks_dim);
}

Schema make_schema(const FormatOptions& options) {
  std::vector<Stream> streams;
  std::vector<std::string> names;
  std::set<std::string_view> own_names;
  std::int64_t defining_stream = -1;
  for (const StreamOptions& stream : options.streams) {
    const auto number = static_cast<std::int64_t>(streams.size());
    streams.push_back(checked_stream(stream, options.element_type));
    if (!own_names.insert(stream.name).second) {
      throw ConfigError(formatted("streams: two have the name {}", quoted(stream.name)));
    }
    std::string name = file_name_of(stream);
    const auto same = std::ranges::find(names, name);
    if (same != names.end()) {
      const auto owner = static_cast<std::size_t>(same - names.begin());
      throw ConfigError(formatted("streams: {} and {} both read {} of the file",
                                  quoted(streams[owner].name), quoted(stream.name), quoted(name)));
    }
    names.push_back(std::move(name));
    if (stream.defines_minibatch_size) {
      if (defining_stream >= 0) {
        throw ConfigError(formatted("streams: {} and {} both define the minibatch size; one can",
                                    quoted(streams[static_cast<std::size_t>(defining_stream)].name),
                                    quoted(stream.name)));
      }
      defining_stream = number;
    }
  }
  const bool is_cntk = options.compatibility == Compatibility::cntk;
  return {{.streams = std::move(streams),
           .defining_stream = defining_stream,
           .chunk_size_bytes = options.chunk_size_bytes,
           .read_size_bytes = options.read_size_bytes,
           .fills_up = is_cntk,
           .has_text_keys = options.keys == KeyType::text},
          StreamNames(std::move(names)),
          is_cntk,
          options.missing_streams == MissingStreams::allow,
          options.skip_sequence_ids};
}

Beginning find_beginning(const ByteSource& source, const FormatOptions& options) {
  Beginning beginning;
  std::array<std::byte, 3> bytes{};
  const auto count = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(source.size()));
  source.read_at(0, std::span(bytes).first(count));
  const auto starts_with = [&](std::initializer_list<int> mark) {
    std::size_t i = 0;
    return mark.size() <= count && std::ranges::all_of(mark, [&](int byte) {
             return bytes[i++] == static_cast<std::byte>(byte);
           });
  };
  if (starts_with({0xFF, 0xFE}) || starts_with({0xFE, 0xFF})) {
    throw_data_error(source, {.line = 1}, nullptr, kUtf16, "a UTF-16 byte order mark",
                     "convert the file: iconv -f UTF-16 -t UTF-8");
  }
  if (starts_with({0xEF, 0xBB, 0xBF})) beginning.offset = 3;
  if (options.skip_sequence_ids) beginning.mode = KeyMode::lines;
  if (options.keys == KeyType::text) beginning.mode = KeyMode::texts;

  const bool is_cntk = options.compatibility == Compatibility::cntk;
  RowReader rows(source, beginning.offset, source.size(), 1, options.read_size_bytes);
  Row row;
  while (rows.next(row)) {
    const Head head =
        is_cntk ? first_head_of_cntk(row) : lex_head(row, options.keys == KeyType::text);
    if (!head.is_data) continue;
    if (is_cntk) {  // blanks and empty rows before the first row are no part of it
      beginning.offset = row.offset_of(head.items);
      beginning.line = row.line;
      beginning.column = head.items - row.begin + 1;
    }
    const bool has_text_id = beginning.mode == KeyMode::texts && (head.has_id || is_cntk);
    const bool is_item = *head.items == '|' && beginning.mode != KeyMode::texts;
    const bool is_cut_id =
        is_cntk && !rows.has_row_end() && std::all_of(head.items, cntk_row_end(row), is_digit);
    if (((!head.has_id && !is_item && !has_text_id) || is_cut_id) &&
        beginning.mode != KeyMode::lines) {
      throw_data_error(source, row, head.items, kNoId,
                       quoted({head.items, static_cast<std::size_t>(row.end - head.items)}, 20),
                       no_id_hint(*head.items, options));
    }
    if (!head.has_id && !has_text_id) beginning.mode = KeyMode::lines;
    return beginning;
  }
  throw_data_error(source, {.line = 1}, nullptr, kEmpty,
                   source.size() == 0 ? "an empty file" : "only blanks and comments", "");
}

}  // namespace sheaf::ctf
