#include "format/text/text_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/number.h"
#include "base/text.h"
#include "core/memory_limit.h"
#include "format/sample_shape.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::internal {
namespace {

// `otherwise` is the type of a stream that does not ask for one.
Stream checked_stream(const StreamOptions& options, std::string_view format,
                      ElementType otherwise) {
  const auto refuse = [&options](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", sheaf::quoted(options.name), why));
  };
  if (options.name.empty()) throw ConfigError("streams: a stream needs a name");
  if (!options.sample_shape) refuse("sample_shape (dim) is missing, and was not found");
  const Shape& shape = *options.sample_shape;
  if (!shape.is_fixed())
    refuse(formatted("{} has samples of fixed shape only, got {}", format, to_string(shape)));
  const ElementType type = options.dtype.value_or(otherwise);
  if (!is_whole(type) && !is_floating(type)) {
    refuse(formatted("dtype: {} reads numbers, got {}", format, to_string(type)));
  }
  check_sample_shape(options.name, shape, options.storage, options.index_dtype);
  return {.name = options.name,
          .element_type = type,
          .sample_shape = shape,
          .storage = options.storage,
          .index_type = options.index_dtype,
          .defines_minibatch_size = options.defines_minibatch_size};
}

/// Returns whether `text` begins with a number that T can represent.
template <typename T>
bool is_number(std::string_view text) {
  const std::string_view token = text.substr(0, text.find_first_of(" \t|,#"));
  T value{};
  const char* const end = token.data() + token.size();
  if (token.empty()) return false;
  const NumberResult result = lex_number(token.data(), end, value);
  return result.code == NumberCode::ok && result.next == end;
}

}  // namespace

void check_text_options(const FormatOptions& options) {
  if (options.chunk_size_bytes < 1) {
    throw ConfigError(formatted("chunk_size_bytes: at least 1, got {}", options.chunk_size_bytes));
  }
  constexpr std::int64_t kReadSizeMax = std::int64_t{1} << 30;
  if (options.read_size_bytes < 1 || options.read_size_bytes > kReadSizeMax) {
    throw ConfigError(
        formatted("read_size_bytes: 1 .. {}, got {}", kReadSizeMax, options.read_size_bytes));
  }
  if (options.inference_size_bytes.value_or(1) < 1) {
    throw ConfigError(formatted("inference_size_bytes: at least 1, or empty (all), got {}",
                                *options.inference_size_bytes));
  }
  internal::check_memory_limit("index.memory_limit_bytes", options.index.memory_limit_bytes);
}

bool needs_inference(const FormatOptions& options) {
  const auto lacks_dim = [](const StreamOptions& stream) { return !stream.sample_shape; };
  return options.streams.empty() || std::ranges::any_of(options.streams, lacks_dim);
}

std::optional<FoundStreams> found_earlier(const OpenRequest& request) {
  const auto* const earlier = dynamic_cast<const FoundInside*>(request.earlier);
  return earlier == nullptr ? std::nullopt : earlier->found();
}

const std::string& file_name_of(const StreamOptions& stream) noexcept {
  return stream.alias.empty() ? stream.name : stream.alias;
}

CheckedStreams check_streams(
    const FormatOptions& options, std::string_view format,
    const std::function<void(const StreamOptions&, std::string_view file_name)>& check_name) {
  CheckedStreams checked;
  std::set<std::string_view> own_names;
  for (const StreamOptions& stream : options.streams) {
    const auto number = static_cast<std::int64_t>(checked.streams.size());
    const auto name_of = [&checked](std::int64_t i) {
      return sheaf::quoted(checked.streams[static_cast<std::size_t>(i)].name);
    };
    checked.streams.push_back(
        checked_stream(stream, format, options.dtype.value_or(ElementType::f32)));
    if (!own_names.insert(stream.name).second) {
      throw ConfigError(formatted("streams: two have the name {}", sheaf::quoted(stream.name)));
    }
    const std::string& file_name = file_name_of(stream);
    check_name(stream, file_name);
    const auto same = std::ranges::find(checked.file_names, file_name);
    if (same != checked.file_names.end()) {
      throw ConfigError(formatted("streams: {} and {} both read {} of the file",
                                  name_of(same - checked.file_names.begin()),
                                  sheaf::quoted(stream.name), sheaf::quoted(file_name)));
    }
    checked.file_names.push_back(file_name);
    if (!stream.defines_minibatch_size) continue;
    if (checked.defining_stream >= 0) {
      throw ConfigError(formatted("streams: {} and {} both define the minibatch size; one can",
                                  name_of(checked.defining_stream), sheaf::quoted(stream.name)));
    }
    checked.defining_stream = number;
  }
  return checked;
}

std::int64_t skip_byte_order_mark(const ByteSource& source, const ErrorKind& utf16) {
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
    throw_data_error(source, {.line = 1}, nullptr, utf16, "a UTF-16 byte order mark",
                     "convert the file: iconv -f UTF-16 -t UTF-8");
  }
  return starts_with({0xEF, 0xBB, 0xBF}) ? 3 : 0;
}

RowPart text_part(const FormatOptions& options, std::int64_t begin, std::int64_t end) {
  return {.begin = begin,
          .end = end,
          .read_size_bytes = options.read_size_bytes,
          .row_size_max_bytes =
              row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes)};
}

std::string inexact_hint(std::string_view text, ElementType type) {
  if (type != ElementType::f64 && is_number<float>(text) && type != ElementType::f32) {
    return "dtype=\"float32\" (--dtype float32) holds it";
  }
  if (type != ElementType::f64 && is_number<double>(text)) {
    return "dtype=\"float64\" (--dtype float64) holds it";
  }
  return "with a point or an exponent it is a decimal, and decimals are rounded";
}

std::string other_type_hint(std::string_view text, ElementType type) {
  if (type == ElementType::f32 || type == ElementType::f64) return "";
  if (is_whole(type) && is_number<std::int64_t>(text)) {
    return "dtype=\"int64\" (--dtype int64) holds it";
  }
  if (is_number<float>(text)) return "dtype=\"float32\" (--dtype float32) takes it";
  if (is_number<double>(text)) return "dtype=\"float64\" (--dtype float64) takes it";
  return "";
}

Diagnostic diagnostic_at(const ByteSource& source, const Row& row, const char* location,
                         const ErrorKind& kind, std::string found, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.path = source.name();
  diagnostic.line = row.line;
  diagnostic.column = location - row.begin + 1;
  diagnostic.byte_offset = row.offset_of(location);
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  diagnostic.hint = std::move(hint);
  if (row.begin != row.end) set_excerpt(diagnostic, row.text(), location - row.begin, 1);
  return diagnostic;
}

void throw_data_error(const ByteSource& source, const Row& row, const char* location,
                      const ErrorKind& kind, std::string found, std::string hint) {
  throw DataError({diagnostic_at(source, row, location, kind, std::move(found), std::move(hint))});
}

}  // namespace sheaf::internal
