#include "format/libsvm/libsvm_schema.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/libsvm/libsvm_errors.h"
#include "format/libsvm/libsvm_options.h"
#include "format/text/text_format.h"

namespace sheaf::libsvm {
namespace {

constexpr std::int64_t kDenseDimMax = std::int64_t{1} << 28;

void check_file_name(const StreamOptions& options, std::string_view name) {
  if (name == kLabelName || name == kFeaturesName) return;
  throw ConfigError(
      formatted("stream {}: a libsvm file has \"label\" and \"features\", but no {}; a stream of "
                "another name says which it is by its alias (alias=features)",
                quoted(options.name), quoted(name)));
}

/// Checks the rules of this format. The rules for all streams were checked before.
void check_stream(const Stream& stream, std::string_view file_name) {
  if (stream.storage == Storage::sparse) return;
  const std::int64_t size = stream.sample_shape.size();
  if (file_name == kLabelName && size != 1) {
    throw ConfigError(formatted("stream {}: a row has one label, so a dense one has dim 1, got {}",
                                quoted(stream.name), to_string(stream.sample_shape)));
  }
  if (size > kDenseDimMax) {
    throw ConfigError(
        formatted("stream {}: dense features of {} values a row; from {} on they are "
                  "read as sparse ones",
                  quoted(stream.name), size, kDenseDimMax));
  }
}

std::int64_t number_of(const internal::CheckedStreams& streams, std::string_view file_name) {
  const auto found = std::ranges::find(streams.file_names, file_name);
  return found == streams.file_names.end() ? -1 : found - streams.file_names.begin();
}

}  // namespace

std::int64_t base_of(const FormatOptions& options) {
  return value_of(kBaseOption, options.extra) == "0" ? 0 : 1;
}

void check_options(const FormatOptions& options) {
  internal::check_text_options(options);
  if (options.keys == KeyType::text) {
    throw ConfigError("keys: the qids of libsvm are numbers, not text");
  }
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of libsvm to be compatible with");
  }
  check_format_options("libsvm", kReadOptions, options.extra);
}

Schema make_schema(const FormatOptions& options) {
  internal::CheckedStreams checked = internal::check_streams(options, "libsvm", check_file_name);
  for (std::size_t i = 0; i < checked.streams.size(); ++i) {
    check_stream(checked.streams[i], checked.file_names[i]);
  }
  Schema schema;
  schema.label = number_of(checked, kLabelName);
  schema.features = number_of(checked, kFeaturesName);
  schema.base = base_of(options);
  schema.skips_qids = options.skip_sequence_ids;
  // Every stream has a sample in every row, so the stream that defines the size never lacks
  // samples.
  schema.streams = std::move(checked.streams);
  schema.chunk_size_bytes = options.chunk_size_bytes;
  schema.read_size_bytes = options.read_size_bytes;
  schema.row_size_max_bytes =
      internal::row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes);
  schema.table_size_max_bytes =
      internal::table_size_max(options.index.memory_limit_bytes.value_or(0));
  schema.fills_up = true;
  return schema;
}

Beginning find_beginning(const ByteSource& source, const FormatOptions& options) {
  Beginning beginning;
  beginning.offset = internal::skip_byte_order_mark(source, kUtf16);
  RowReader rows(source, beginning.offset, source.size(), 1, options.read_size_bytes,
                 internal::row_size_max(options.index.memory_limit_bytes.value_or(0),
                                        options.read_size_bytes));
  Row row;
  while (rows.next(row)) {
    const Head head = lex_head(row);
    if (!head.is_data) continue;
    const char c = *head.first;
    const bool has_qid = head.qid_code != Head::Qid::none;
    if (!is_digit(c) && c != '-' && c != '+' && c != '.' && head.first != head.qid_token.begin) {
      const Token rest{head.first, row.end};
      internal::throw_data_error(source, row, head.first, kNotLibsvm, quoted(rest.text(), 20),
                                 c == '|' ? "the text looks like CTF (--data-format ctf)" : "");
    }
    if (has_qid && !options.skip_sequence_ids) beginning.mode = KeyMode::qids;
    return beginning;
  }
  internal::throw_data_error(source, {.line = 1}, nullptr, kEmpty,
                             source.size() == 0 ? "an empty file" : "only blanks and comments", "");
}

}  // namespace sheaf::libsvm
