// The format `shapes`: integer arrays of rank 2, each with its own shape. A row is a sample:
//
//   row    = key , SP , height , "x" , width , { SP , value } ;
//   key    = digit , { digit } ;               (* at most 18 digits *)
//   height = width = digit , { digit } ;       (* 1 .. 9999 *)
//   value  = [ "-" ] , digit , { digit } ;     (* at most 9 digits *)
//
// A row has height times width values, and ends at LF or at the end of the file. Empty rows are
// ignored. Consecutive rows with the same key are one sequence. A row without a key belongs to the
// sequence before, which becomes a hole. If there is no sequence before, the file is refused.
//
//   7 2x3 1 2 3 4 5 6
//   7 1x1 0
//   8 1x2 -4 5          two sequences: 7 of two samples, 8 of one

#include "toys/shapes/shapes_deserializer.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "toys/toy_bytes.h"

namespace sheaf::toys {
namespace {

struct Row {
  std::string_view text;
  std::int64_t offset;  // from the start of the part that the row was cut from
  std::int64_t line;    // from 0, the first line of that part
};

std::vector<Row> rows_of(std::string_view bytes) {
  std::vector<Row> rows;
  std::int64_t line = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    if (end > begin) {
      rows.push_back({bytes.substr(begin, end - begin), static_cast<std::int64_t>(begin), line});
    }
    begin = end + 1;
  }
  return rows;
}

/// Takes digits from the front of `text`. Returns nothing if there are none or too many.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits_max) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto size = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || text.front() == '-' || size > digits_max) return std::nullopt;
  text.remove_prefix(size);
  return number;
}

constexpr std::size_t kKeyDigitsMax = 18;

std::optional<std::int64_t> key_of(std::string_view row) {
  const std::optional<std::int64_t> key = take_number(row, kKeyDigitsMax);
  return row.empty() || row.front() != ' ' ? std::nullopt : key;
}

struct Sample {
  std::int64_t extents[2] = {0, 0};
  std::vector<std::int32_t> values;
};

struct Wrong {
  std::string_view at;  // the rest of the row, from the error on
  std::string_view code;
  std::string expected;
};

/// Parses the sample of a row. Returns the first error, if any.
std::optional<Wrong> parse_row(std::string_view text, Sample& sample) {
  if (!key_of(text)) return Wrong{text, "shapes-key", "a key of at most 18 digits and a blank"};
  text.remove_prefix(text.find(' ') + 1);

  const std::string_view shape = text;
  for (const int axis : {0, 1}) {
    const std::optional<std::int64_t> extent = take_number(text, 4);
    const bool is_right = extent && *extent > 0 &&
                          (axis == 0 ? text.starts_with('x') : text.empty() || text[0] == ' ');
    if (!is_right) return Wrong{shape, "shapes-shape", "height x width, each 1 .. 9999"};
    sample.extents[axis] = *extent;
    if (axis == 0) text.remove_prefix(1);
  }
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view location = text;
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    const std::optional<std::int64_t> value = take_number(text, 9);
    if (!value || !(text.empty() || text[0] == ' ')) {
      return Wrong{location, "shapes-value", "a whole number of at most 9 digits"};
    }
    sample.values.push_back(static_cast<std::int32_t>(is_negative ? -*value : *value));
  }
  const std::int64_t size = sample.extents[0] * sample.extents[1];
  if (static_cast<std::int64_t>(sample.values.size()) != size) {
    return Wrong{shape, "shapes-count", std::to_string(size) + " values"};
  }
  return std::nullopt;
}

std::vector<Stream> streams_of(const FormatOptions& options) {
  const Shape any{Shape::kVariable, Shape::kVariable};
  if (options.streams.size() != 1) throw ConfigError("streams: shapes has one stream");
  const StreamOptions& stream = options.streams.front();
  if (stream.storage != Storage::dense ||
      stream.dtype.value_or(ElementType::i32) != ElementType::i32 ||
      stream.sample_shape.value_or(any) != any) {
    throw ConfigError("stream \"" + stream.name + "\": shapes has dense i32 samples of shape " +
                      to_string(any));
  }
  return {{.name = stream.name,
           .element_type = ElementType::i32,
           .sample_shape = any,
           .defines_minibatch_size = stream.defines_minibatch_size}};
}

}  // namespace

ShapesDeserializer::ShapesDeserializer(std::shared_ptr<const ByteSource> source,
                                       const FormatOptions& options)
    : source_(std::move(source)),
      streams_(streams_of(options)),
      read_size_bytes_(options.read_size_bytes),
      fingerprint_("shapes:" + to_string(source_->fingerprint()) +
                   ":chunk=" + std::to_string(options.chunk_size_bytes)) {
  make_index(options.chunk_size_bytes);
}

void ShapesDeserializer::make_index(std::int64_t chunk_size_bytes) {
  const std::int64_t size = source_->size();
  const std::string bytes = read_part(*source_, 0, size, read_size_bytes_);

  std::vector<SequenceInfo> sequences;  // here, offsets and lines count from the start of the file
  for (const Row& row : rows_of(bytes)) {
    const std::optional<std::int64_t> key = key_of(row.text);
    if (sequences.empty() && !key) {
      Diagnostic diagnostic;
      diagnostic.path = source_->name();
      diagnostic.line = row.line + 1;
      diagnostic.column = 1;
      diagnostic.byte_offset = row.offset;
      diagnostic.code = "shapes-key";
      diagnostic.expected = "a key of at most 18 digits and a blank";
      diagnostic.found = quoted(row.text);
      throw DataError({diagnostic});
    }
    if (sequences.empty() ||
        (key && static_cast<std::uint64_t>(*key) != sequences.back().key.low)) {
      sequences.push_back({.key = {.low = static_cast<std::uint64_t>(*key)},
                           .offset_bytes = row.offset,
                           .first_line = row.line});
    }
    ++sequences.back().sample_count;
  }
  if (sequences.empty()) {
    Diagnostic diagnostic;
    diagnostic.path = source_->name();
    diagnostic.line = 1;
    diagnostic.column = 1;
    diagnostic.code = "shapes-empty";
    diagnostic.expected = "at least one row";
    throw DataError({diagnostic});
  }

  for (std::size_t first = 0; first < sequences.size();) {
    ChunkInfo chunk;
    chunk.offset_bytes = sequences[first].offset_bytes;
    chunk.first_line = sequences[first].first_line + 1;
    SequenceTable::Builder table;
    std::size_t i = first;
    for (; i < sequences.size(); ++i) {
      const std::int64_t end = i + 1 < sequences.size() ? sequences[i + 1].offset_bytes : size;
      if (i > first && end - chunk.offset_bytes > chunk_size_bytes) break;
      chunk.size_bytes = end - chunk.offset_bytes;
      SequenceInfo sequence = sequences[i];
      sequence.offset_bytes -= chunk.offset_bytes;
      sequence.first_line -= chunk.first_line - 1;
      table.push_back(sequence);
    }
    // A row takes at least 8 bytes, and becomes 36 bytes: extents, two offsets and a value. Each
    // further value takes at least 2 bytes, and becomes 4. Both lists of offsets have one extra
    // entry.
    chunk.decoded_size_bytes = 5 * chunk.size_bytes + 24;
    index_.add(chunk, table.finish());
    first = i;
  }
}

Chunk ShapesDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const ChunkInfo chunk = *index_.chunk(range.chunk);
  const std::shared_ptr<const SequenceTable> table = index_.sequences(range.chunk);
  const std::int64_t count = std::min(range.count, table->size() - range.first);

  std::vector<std::int32_t> values;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> sample_offsets = {0};
  std::vector<std::int64_t> sequence_offsets = {0};
  std::vector<std::int64_t> holes;
  for (std::int64_t i = range.first; i < range.first + count; ++i) {
    const std::int64_t begin = chunk.offset_bytes + table->offset_bytes(i);
    const std::int64_t end =
        chunk.offset_bytes +
        (i + 1 < table->size() ? table->offset_bytes(i + 1) : chunk.size_bytes);
    const std::string bytes = read_part(*source_, begin, end, read_size_bytes_);
    std::vector<Sample> samples;
    bool is_hole = false;
    for (const Row& row : rows_of(bytes)) {
      const std::optional<Wrong> wrong = parse_row(row.text, samples.emplace_back());
      if (!wrong) continue;
      is_hole = true;
      const std::int64_t column = wrong->at.data() - row.text.data();
      Diagnostic diagnostic;
      diagnostic.path = source_->name();
      diagnostic.line = chunk.first_line + table->first_line(i) + row.line;
      diagnostic.column = column + 1;
      diagnostic.byte_offset = begin + row.offset + column;
      diagnostic.sequence_key = to_string(table->key(i));
      diagnostic.stream = streams_.front().name;
      diagnostic.code = wrong->code;
      diagnostic.expected = wrong->expected;
      diagnostic.found = quoted(wrong->at);
      diagnostics.add(i, std::move(diagnostic));
    }
    if (is_hole) {
      holes.push_back(i - range.first);
      samples.clear();
    }
    for (const Sample& sample : samples) {
      values.insert(values.end(), sample.values.begin(), sample.values.end());
      extents.insert(extents.end(), std::begin(sample.extents), std::end(sample.extents));
      sample_offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    sequence_offsets.push_back(static_cast<std::int64_t>(sample_offsets.size()) - 1);
  }

  std::vector<Column> columns(1);
  columns[0].values = buffer_of(values);
  columns[0].extents = buffer_of(extents);
  columns[0].sample_offsets = buffer_of(sample_offsets);
  columns[0].sequence_offsets = buffer_of(sequence_offsets);
  return {streams_, count, std::move(columns), std::move(holes)};
}

}  // namespace sheaf::toys
