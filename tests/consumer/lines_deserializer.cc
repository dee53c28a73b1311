#include "lines_deserializer.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace {

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Appends the numbers of a line. Returns how many bytes of the line are well-formed.
std::size_t parse_line(std::string_view line, std::vector<double>& values) {
  const char* const last = line.data() + line.size();
  const char* next = line.data();
  while (true) {
    double value = 0;
    const auto [end, error] = std::from_chars(next, last, value);
    if (error != std::errc{}) break;
    values.push_back(value);
    next = end;
    if (next == last || *next != ',') break;
    ++next;
  }
  return static_cast<std::size_t>(next - line.data());
}

}  // namespace

LinesDeserializer::LinesDeserializer(std::string text, std::int64_t chunk_lines)
    : text_(std::move(text)),
      streams_{{.name = "value", .element_type = sheaf::ElementType::f64, .sample_shape = {}}} {
  std::string_view rest = text_;
  for (std::int64_t line = 0; !rest.empty();) {
    const char* const begin = rest.data();
    sheaf::ChunkInfo chunk{.offset_bytes = begin - text_.data(), .first_line = line + 1};
    sheaf::SequenceTable::Builder sequences;
    while (!rest.empty() && sequences.size() < chunk_lines) {
      const std::int64_t offset = rest.data() - begin;
      const std::string_view content = take_line(rest);
      const std::int64_t samples = std::ranges::count(content, ',') + 1;
      sequences.push_back({.key = {.low = static_cast<std::uint64_t>(line)},
                           .offset_bytes = offset,
                           .first_line = sequences.size(),
                           .sample_count = samples});
      chunk.decoded_size_bytes += 8 * (samples + 2);
      ++line;
    }
    chunk.size_bytes = rest.data() - begin;
    index_.add(chunk, sequences.finish());
  }
}

std::string LinesDeserializer::fingerprint() const {
  const std::size_t hash = std::hash<std::string>()(text_);
  return "lines:" + std::to_string(text_.size()) + "-" + std::to_string(hash);
}

sheaf::Chunk LinesDeserializer::read(const sheaf::ChunkRange& range,
                                     sheaf::Diagnostics& diagnostics) const {
  const sheaf::ChunkInfo info = index_.chunk(range.chunk).value();
  const std::shared_ptr<const sheaf::SequenceTable> table = index_.sequences(range.chunk);
  const std::int64_t count = std::min(range.count, table->size() - range.first);

  sheaf::Column column;
  std::vector<std::int64_t> holes;
  std::vector<double> values;
  column.sequence_offsets.push_back(std::int64_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t sequence = range.first + i;
    const std::int64_t offset = info.offset_bytes + table->offset_bytes(sequence);
    std::string_view rest = std::string_view(text_).substr(static_cast<std::size_t>(offset));
    const std::string_view line = take_line(rest);
    values.clear();
    const std::size_t good = parse_line(line, values);
    if (good == line.size()) {
      for (const double value : values) column.values.push_back(value);
    } else {
      const auto entry = static_cast<std::int64_t>(good);
      diagnostics.add(sequence, {.path = "lines",
                                 .line = info.first_line + sequence,
                                 .column = entry + 1,
                                 .byte_offset = offset + entry,
                                 .stream = "value",
                                 .code = "lines-number",
                                 .expected = "a number",
                                 .found = sheaf::quoted(line.substr(good))});
      holes.push_back(i);
    }
    column.sequence_offsets.push_back(column.values.size_bytes() / 8);
  }
  std::vector<sheaf::Column> columns;
  columns.push_back(std::move(column));
  return {streams_, count, std::move(columns), std::move(holes)};
}
