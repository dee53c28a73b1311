// Values go directly to the end of their columns. If a line is wrong, its columns are cut back to
// where it began. Its other fields are still read, to report the first error of each. Most rows
// have the fields of the row before them. They are read in one pass.

#include "format/jsonl/jsonl_parser.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/jsonl/jsonl_scalars.h"
#include "format/jsonl/jsonl_scanner.h"

namespace sheaf::jsonl {

template <typename Part>
Parser::Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
               const Part& part, Diagnostics& diagnostics, int /*tag*/)
    : schema_(schema),
      index_(index),
      range_(source, schema, index, part),
      errors_(source, diagnostics),
      columns_(internal::column_writers(schema.streams)),
      quick_(schema, schema.warns_of_unknown && range_.warnings() != nullptr),
      is_present_(schema.streams.size()) {
  for (const Stream& stream : schema.streams) readers_.push_back(value_reader(stream));
}

Parser::Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
               const ChunkRange& range, Diagnostics& diagnostics)
    : Parser(source, schema, index, range, diagnostics, 0) {}

Parser::Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
               const internal::ScanPart& part, Diagnostics& diagnostics)
    : Parser(source, schema, index, part, diagnostics, 0) {}

Chunk Parser::parse() {
  range_.reserve(columns_);
  while (range_.next_row(row_)) {
    const bool has_key = schema_.key_mode != KeyMode::lines;
    if (has_key && quick_.takes(row_) && take_with_key()) continue;
    if (!has_key && quick_.takes(row_)) {
      key_ = key_of(row_, nullptr, schema_);
      if (range_.begin_sequence(row_, key_.key)) take_quickly();
      continue;
    }
    if (is_blank_row(row_)) continue;
    const bool is_right = line_.read(row_);
    key_ = key_of(row_, is_right ? &line_ : nullptr, schema_);
    if (range_.begin_sequence(row_, key_.key)) take_line(is_right);
  }
  range_.end();
  return finish();
}

void Parser::begin_columns() {
  is_bad_ = false;
  range_.extrapolate(columns_);
  for (internal::ColumnWriter& column : columns_) column.begin_sequence();
}

void Parser::take_quickly() {
  begin_columns();
  if (quick_.read(row_, columns_)) {
    std::ranges::copy(quick_.is_present(), is_present_.begin());
    return end_sequence();
  }
  cut_back();
  take_line(line_.read(row_));
}

// Reads a row before the range knows its key. Returns false, and changes nothing, if the row cannot
// be read, or has a wrong key.
bool Parser::take_with_key() {
  begin_columns();
  const bool is_read = quick_.read(row_, columns_);
  if (is_read) key_ = key_in(quick_.key(), schema_);
  if (!is_read || key_.wrong != nullptr) {
    cut_back();
    return false;
  }
  if (!range_.begin_sequence(row_, key_.key)) {
    cut_back();
  } else if (range_.is_repeated()) {
    cut_back();
    const bool is_right = line_.read(row_);
    key_ = key_of(row_, is_right ? &line_ : nullptr, schema_);
    take_line(is_right);
  } else {
    std::ranges::copy(quick_.is_present(), is_present_.begin());
    end_sequence();
    if (schema_.has_text_keys) key_texts_.push_back(std::move(key_.text));
  }
  return true;
}

void Parser::cut_back() {
  for (internal::ColumnWriter& column : columns_) column.cut_back();
}

void Parser::take_line(bool is_right) {
  begin_columns();
  if (is_right) {
    take_fields();
    quick_.learn(line_.fields());
  } else {
    fail(line_.fault());
  }
  end_sequence();
  if (schema_.has_text_keys) key_texts_.push_back(std::move(key_.text));
}

void Parser::take_fields() {
  if (schema_.warns_of_unknown && range_.warnings() != nullptr) {
    note_unknown(row_, line_, schema_, *range_.warnings());
  }
  std::ranges::fill(is_present_, char{0});
  if (schema_.key_mode != KeyMode::lines) check_key();
  for (const Field& field : line_.fields()) {
    if (field.is_repeated) {
      fail({&kRepeatedField, field.quote, field.name_end + 1, std::string(kRepeatedField.expected),
            found_at(field.quote), ""});
    } else {
      take_field(field);
    }
  }
  if (schema_.allows_missing) return;
  // Thousands of streams may be missing in each of very many sequences.
  for (std::size_t i = 0; i < columns_.size() && !(is_bad_ && errors_.are_full()); ++i) {
    if (is_present_[i] == 0) fail_missing(i);
  }
}

void Parser::take_field(const Field& field) {
  const std::int64_t stream = schema_.stream_of(field.name);
  if (stream < 0 || field.form == Form::null) return;
  const auto i = static_cast<std::size_t>(stream);
  is_present_[i] = 1;
  Fault fault;
  const ValueRequest request{field, schema_.streams[i], row_.end};
  if (!readers_[i](request, columns_[i], fault)) fail(fault, &schema_.streams[i]);
}

void Parser::check_key() {
  const Field* const field = key_.field;
  const char* const location = field == nullptr ? row_.begin : field->value;
  Fault fault{key_.wrong, location, field == nullptr ? location + 1 : marked_end(location)};
  if (key_.wrong != nullptr) {
    fault.expected = key_.wrong->expected;
    if (field == nullptr) fault.expected += formatted(", {}", sheaf::quoted(schema_.key_field));
    fault.found = field == nullptr ? "none" : found_at(location);
  } else if (range_.is_repeated()) {
    fault.kind = &kRepeatedKey;
    fault.expected = kRepeatedKey.expected;
    if (errors_.wants_text()) {
      fault.expected += formatted(" (line {} has it)", index_.first_location(key_.key).line);
    }
    fault.found = found_at(location);
  } else {
    return;
  }
  fail(fault);
}

void Parser::fail_missing(std::size_t stream) {
  const Field* const field = line_.find(schema_.names[stream]);
  fail({&kMissingStream, row_.begin, row_.begin + 1, std::string(kMissingStream.expected),
        field == nullptr ? "no such field" : "null",
        "lines without it are read with missing_streams=\"allow\" (--missing-streams allow)"},
       &schema_.streams[stream]);
}

void Parser::end_sequence() {
  const std::int64_t number = range_.number();
  if (is_bad_) holes_.push_back(number);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (is_bad_) columns_[i].cut_back();
    columns_[i].end_sequence(number, range_.sequence_count(), is_bad_ || is_present_[i] != 0);
  }
}

Chunk Parser::finish() {
  Chunk chunk(schema_.streams, range_.sequence_count(), internal::finished(columns_),
              std::move(holes_));
  if (schema_.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  range_.check_sample_counts(chunk);
  return chunk;
}

void Parser::fail(const Fault& fault, const Stream* stream) {
  constexpr std::int64_t kUnderlinedMax = 40;
  is_bad_ = true;
  const std::int64_t size = std::min<std::int64_t>(kUnderlinedMax, fault.end - fault.begin);
  errors_.add(range_, schema_.has_text_keys ? std::string_view(key_.text) : std::string_view(),
              errors_.at(row_, fault.begin, size), *fault.kind, stream, fault.expected, fault.found,
              fault.hint);
}

}  // namespace sheaf::jsonl
