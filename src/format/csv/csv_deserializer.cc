#include "format/csv/csv_deserializer.h"

#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "format/csv/csv_errors.h"
#include "format/csv/csv_infer.h"
#include "format/csv/csv_parser.h"
#include "format/csv/csv_scanner.h"
#include "format/text/recalled_streams.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

/// Returns the options that change keys, locations or values. Streams are up to the reader.
std::string data_options_of(const FormatOptions& options, const ReadOptions& read) {
  std::string text =
      formatted("chunk={}:delimiter={}", options.chunk_size_bytes, delimiter_word(read.delimiter));
  if (!read.has_header) text += ":no_header";
  if (!read.columns.empty()) text += formatted(":columns={}", quoted(read.columns, 1 << 20));
  if (!read.key.empty()) text += formatted(":key={}", quoted(read.key, 1 << 20));
  if (read.has_text_keys) text += ":keys=text";
  if (read.skips_keys) text += ":skip_sequence_ids";
  for (const std::string& name : read.classes)
    text += formatted(":class={}", quoted(name, 1 << 20));
  if (read.missing == ReadOptions::Missing::absent) text += ":missing=absent";
  if (read.missing == ReadOptions::Missing::value) text += ":missing=" + read.missing_value;
  for (const std::string& each : read.missing_texts) {
    text += formatted(":missing_text={}", quoted(each, 1 << 20));
  }
  for (const StreamOptions& stream : options.streams) {
    if (!stream.alias.empty()) text += formatted(":{}={}", stream.name, stream.alias);
  }
  return text;
}

}  // namespace

CsvDeserializer::CsvDeserializer(const OpenRequest& request)
    : CsvDeserializer(request.source, resolve(request)) {}

CsvDeserializer::Parts CsvDeserializer::resolve(const OpenRequest& request) {
  const ByteSource& source = *request.source;
  Parts parts{.options = request.options,
              .files = &request.context.file_system(),
              .read = read_options_of(request.options, source.name()),
              .beginning = {},
              .fingerprint = {},
              .found = internal::found_earlier(request)};
  parts.beginning = find_beginning(source, parts.options, parts.read);
  parts.fingerprint = source.fingerprint();
  if (!needs_finding(parts.options, parts.read)) {
    parts.found.reset();
    return parts;
  }
  static_cast<void>(column_groups(parts.read, parts.beginning));  // checks before it reads data
  const auto find = [&] {
    return find_columns(source, parts.options, parts.read, parts.beginning);
  };
  if (parts.found && parts.found->how != found_how(source, parts.options, parts.read)) {
    parts.found.reset();
  }
  if (!parts.found) {
    parts.found = internal::recall_or_find_streams(
        source, parts.fingerprint, parts.options.index, *parts.files,
        found_how(source, parts.options, parts.read), find);
  }
  if (!fits(*parts.found, std::ssize(parts.beginning.columns))) parts.found = find();
  return parts;
}

CsvDeserializer::CsvDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts)
    : source_(std::move(source)),
      schema_(make_schema(parts.options, parts.read, parts.beginning,
                          parts.found ? &*parts.found : nullptr)),
      data_options_(data_options_of(parts.options, parts.read)),
      fingerprint_(parts.fingerprint),
      index_(index_parts(parts)) {}

// Whether a line begins a row depends on all quotes before it. So the text is scanned from its
// beginning.
internal::ScannedIndex::Parts CsvDeserializer::index_parts(const Parts& parts) const {
  std::string text = "csv 1:" + data_options_;
  for (const Stream& stream : schema_.streams) text += "; " + to_string(stream);
  return {
      .source = source_,
      .rows = {.begin = parts.beginning.offset,
               .end = source_->size(),
               .first_line = parts.beginning.line,
               .chunk_size_bytes = schema_.text.chunk_size_bytes},
      .make_scanner =
          [this](const internal::ScanPart& part) { return make_scanner(*source_, schema_, part); },
      .blocks = std::nullopt,
      .stream_count = std::ssize(schema_.text.streams),
      .may_repeat_keys = schema_.has_keys(),
      .fills_up = true,
      .options = parts.options.index,
      .files = parts.files,
      .identity = {.options = std::move(text),
                   .data = fingerprint_,
                   .modified_ns = source_->modified_ns()},
      .found = parts.found,
      .warning_code = kIndexFileCode};
}

std::span<const Stream> CsvDeserializer::streams() const noexcept { return schema_.streams; }

const Index& CsvDeserializer::index() const noexcept { return index_; }

std::string CsvDeserializer::fingerprint() const {
  return formatted("csv:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk CsvDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return Parser(*source_, schema_, index_, range, diagnostics).parse();
}

void CsvDeserializer::build_index(Executor& executor, DecodedSink* sink) const {
  index_.build(executor, sink);
}

std::vector<Diagnostic> CsvDeserializer::warnings() const {
  std::vector<Diagnostic> warnings = index_.warnings();
  if (!index_.found()) return warnings;
  for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
    if (schema_.columns[i].kind != Column::Kind::text) continue;
    std::optional<Diagnostic> mixed = mixed_warning(*index_.found(), static_cast<std::int64_t>(i));
    if (!mixed) continue;
    mixed->path = source_->name();
    warnings.push_back(*std::move(mixed));
  }
  return warnings;
}

}  // namespace sheaf::csv
