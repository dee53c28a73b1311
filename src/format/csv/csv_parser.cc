// Numbers of few digits are read in place; the delimiter after them shows that the cell is
// complete. All other cells are split off first: long numbers, texts, missing values and errors.

#include "format/csv/csv_parser.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "sheaf/float16.h"

#include "base/number.h"
#include "base/text.h"
#include "core/element_cast.h"
#include "format/text/text_format.h"

namespace sheaf::csv {
namespace {

using internal::NumberCode;
using internal::NumberResult;
using Missing = ReadOptions::Missing;
using Presence = StreamValues::Presence;

constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

template <typename T>
const char* read_plain_number(const char* p, const char* end, char delimiter, std::byte* to) {
  T value{};
  const auto ends = [&](const char* next) { return next == end || *next == delimiter; };
  const char* next = internal::lex_short_number(p, value);
  if (next == nullptr || !ends(next)) {
    if (p == end) return nullptr;
    const NumberResult result = internal::lex_number(p, end, value);
    if (result.code != NumberCode::ok || !ends(result.next)) return nullptr;
    next = result.next;
  }
  std::memcpy(to, &value, sizeof value);
  return next;
}

template <typename T>
T not_a_number() noexcept {
  if constexpr (std::is_same_v<T, Float16>) {
    return Float16{0x7E00};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16{0x7FC0};
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

// Returns whether a text has only the characters of numbers, so that a reader might parse it.
bool looks_like_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.-+eE") == std::string_view::npos;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

Parser::Parser(const ByteSource& source, const Schema& schema, const internal::ScannedIndex& index,
               const ChunkRange& range, Diagnostics& diagnostics)
    : schema_(schema),
      index_(index),
      range_(source, schema.text, index, range),
      errors_(source, diagnostics),
      grouper_(schema, index.sequences(range.chunk)->key(range.first).low),
      values_([&] {
        std::vector<StreamValues> values;
        values.reserve(schema.streams.size());
        for (const Stream& stream : schema.streams) values.emplace_back(stream);
        return values;
      }()),
      readings_(readings()),
      rows_room_(row_count(range)) {
  for (StreamValues& each : values_) each.reserve(rows_room_);
}

std::vector<Parser::Reading> Parser::readings() {
  std::vector<Reading> all(schema_.columns.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Column& column = schema_.columns[i];
    all[i].column = &column;
    if (column.kind == Column::Kind::skipped || column.kind == Column::Kind::key) continue;
    const auto stream = static_cast<std::size_t>(column.stream);
    all[i].values = &values_[stream];
    all[i].stream = &schema_.streams[stream];
    const ElementType type = all[i].stream->element_type;
    all[i].offset_bytes = column.index * element_size(type);
    if (column.kind != Column::Kind::number || schema_.read.missing == Missing::absent) continue;
    if (std::ranges::any_of(schema_.read.missing_texts, looks_like_number)) continue;
    all[i].read_plain = internal::with_zero_of(
        type, []<typename T>(T) -> ReadPlain { return read_plain_number<T>; });
  }
  return all;
}

// Returns the rows of a range according to the index, but at most as many as the text can hold.
std::int64_t Parser::row_count(const ChunkRange& range) const {
  const auto table = index_.sequences(range.chunk);
  const std::int64_t last = std::min(table->size() - range.first, range.count) + range.first;
  const std::int64_t most = (range_.end_offset() - range_.begin_offset()) / 2 + 1;
  std::int64_t count = 0;
  for (std::int64_t i = range.first; i < last && count < most; ++i) {
    count += std::min(most, table->sample_count(i));
  }
  return std::min(count, most);
}

Chunk Parser::parse() {
  bool has_sequence = false;
  while (range_.next_row(row_)) {
    if (row_.begin == row_.end) continue;
    if (grouper_.next(row_)) {
      if (has_sequence) end_sequence();
      // The index drops no sequence, so it has this one.
      has_sequence = range_.begin_sequence(row_, grouper_.key());
      begin_sequence();
    }
    if (schema_.has_keys()) check_key();
    read_row();
  }
  if (has_sequence) end_sequence();
  range_.end();
  const std::int64_t count = range_.sequence_count();
  Chunk chunk(schema_.streams, count, finish_columns(values_, row_counts_), std::move(holes_));
  if (schema_.read.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  range_.check_sample_counts(chunk);
  return chunk;
}

void Parser::begin_sequence() {
  is_bad_ = false;
  row_count_ = 0;
  for (StreamValues& each : values_) each.begin_sequence();
  if (schema_.read.has_text_keys) key_texts_.push_back(grouper_.key_text());
  if (!range_.is_repeated()) return;
  std::string expected(kRepeatedKey.expected);
  if (errors_.wants_text()) {
    expected += formatted(" (line {} has it)", index_.first_location(grouper_.key()).line);
  }
  const Cell& cell = grouper_.cell();
  if (cell.first == nullptr) {
    fail(kRepeatedKey, kNoColumn, row_.begin, 1, std::move(expected), "none");
  } else {
    fail_cell(kRepeatedKey, kNoColumn, cell, std::move(expected));
  }
}

void Parser::end_sequence() {
  const auto is_absent = [](const StreamValues& each) {
    return each.presence() == Presence::absent;
  };
  if (!is_bad_ && std::ranges::all_of(values_, is_absent)) {
    is_bad_ = true;
    errors_.add(range_, key_text(), errors_.at_sequence(range_), kNoData, nullptr,
                std::string(kNoData.expected), "none");
  }
  const std::int64_t number = range_.number();
  if (is_bad_) holes_.push_back(number);
  for (StreamValues& each : values_) {
    if (is_bad_) {
      each.cut_back();
    } else {
      each.end_sequence(number, range_.sequence_count());
    }
  }
  row_counts_.push_back(is_bad_ ? 0 : row_count_);
}

void Parser::check_key() {
  using KeyCode = SequenceGrouper::KeyCode;
  const Cell& cell = grouper_.cell();
  const auto column = static_cast<std::size_t>(schema_.key_column);
  // Other checks report a row that ends before its key, and a malformed cell.
  if (cell.first == nullptr || cell.problem != nullptr) return;
  switch (grouper_.code()) {
    case KeyCode::ok:
      break;
    case KeyCode::none:
      fail_cell(kNoKey, column, cell, std::string(kNoKey.expected));
      break;
    case KeyCode::not_a_number:
      fail_cell(kKey, column, cell, std::string(kKey.expected),
                "keys that are texts are read with keys=text (--keys text)");
      break;
    case KeyCode::out_of_range:
      fail_cell(kKeyRange, column, cell, std::string(kKeyRange.expected),
                "keys that are texts are read with keys=text (--keys text)");
      break;
  }
}

void Parser::read_row() {
  ++row_count_;
  if (rows_++ == rows_room_) {
    rows_room_ += rows_room_ / 2 + 1;
    for (StreamValues& each : values_) each.reserve(rows_room_);
  }
  const char delimiter = schema_.read.delimiter;
  const bool plain = is_plain(row_);
  const char* const end = row_.end;
  const char* p = row_.begin;
  for (std::size_t i = 0; i < readings_.size(); ++i, ++p) {
    const Reading& reading = readings_[i];
    const char* next = nullptr;
    if (reading.read_plain != nullptr) {
      next = reading.read_plain(p, end, delimiter, reading.values->sample() + reading.offset_bytes);
    }
    if (next != nullptr) {
      p = next;
      if (reading.column->ends_sample) reading.values->end_sample();
    } else {
      const Cell cell = plain ? plain_cell(p, end, delimiter) : lex_cell(p, end, delimiter);
      p = cell.next;
      read_cell(i, cell);
    }
    if (p == end) {
      if (i + 1 != readings_.size()) check_cell_count(i + 1, nullptr);
      return;
    }
  }
  check_cell_count(readings_.size() + 1, p);
}

// Checks the number of cells. `count` cells are read, and the row continues at `next`, or ends if
// that is null.
void Parser::check_cell_count(std::size_t count, const char* next) {
  const std::string expected = formatted("{} cells", readings_.size());
  if (next == nullptr) {
    return fail(kFewCells, kNoColumn, row_.end, 1, expected, std::to_string(count));
  }
  for (const char* p = next;; ++p, ++count) {
    p = lex_cell(p, row_.end, schema_.read.delimiter).next;
    if (p == row_.end) break;
  }
  fail(kManyCells, kNoColumn, next, row_.end - next, expected, std::to_string(count));
}

void Parser::read_cell(std::size_t number, const Cell& cell) {
  const Reading& reading = readings_[number];
  if (cell.problem != nullptr) {
    fail(*cell.problem, number, cell.problem_location, 1, std::string(cell.problem->expected),
         quoted(cell.whole()));
  } else if (reading.values != nullptr) {
    const bool missing = is_missing(*reading.column, cell);
    if (!takes_value(number, cell, missing)) return;
    switch (reading.column->kind) {
      case Column::Kind::text:
        reading.values->add_text(cell);
        return;  // the text is a whole sample
      case Column::Kind::class_id:
        missing ? read_number(number, cell) : read_class(number, cell);
        break;
      default:
        read_number(number, cell);
    }
  }
  if (reading.column->ends_sample && reading.values != nullptr &&
      reading.column->kind != Column::Kind::text) {
    reading.values->end_sample();
  }
}

// A text is missing only if streams may be absent. Otherwise an empty text is a text.
bool Parser::is_missing(const Column& column, const Cell& cell) const noexcept {
  if (cell.is_quoted) return false;
  if (column.kind == Column::Kind::text && schema_.read.missing != Missing::absent) return false;
  return schema_.read.is_missing_text(cell.raw());
}

/// Returns whether the stream gets a value from the cell. Notes a cell that is missing but must not
/// be. If streams may be absent, the first cell tells whether the stream is.
bool Parser::takes_value(std::size_t number, const Cell& cell, bool is_missing) {
  StreamValues& values = *readings_[number].values;
  if (schema_.read.missing != Missing::absent) {
    if (!is_missing || schema_.read.missing == Missing::value) return true;
    fail_cell(kMissing, number, cell, std::string(kMissing.expected),
              "csv.missing (--format-option csv.missing=absent, nan or a number) says what a "
              "missing value is");
    return false;
  }
  const bool is_defining = schema_.defining_stream == readings_[number].column->stream;
  if (values.presence() == Presence::open && !(is_missing && is_defining)) {
    values.set_presence(is_missing ? Presence::absent : Presence::present);
  }
  if (is_missing == (values.presence() == Presence::absent)) return !is_missing;
  if (is_missing) {
    fail_cell(kMissing, number, cell,
              is_defining ? "a value, as the stream defines the minibatch size"
                          : "a value, as the stream has others in this sequence");
  } else {
    fail_cell(kPartly, number, cell,
              "no value, as others of the stream are missing in this "
              "sequence");
  }
  return false;
}

void Parser::read_number(std::size_t number, const Cell& cell) {
  const Reading& reading = readings_[number];
  const bool missing = is_missing(*reading.column, cell);
  const std::string_view text =
      missing ? std::string_view(schema_.read.missing_value) : without_blanks(cell.raw());
  std::byte* const to = reading.values->sample() + reading.offset_bytes;
  internal::with_zero_of(reading.stream->element_type, [&]<typename T>(T value) {
    if (lex(number, cell, text, value)) std::memcpy(to, &value, sizeof value);
  });
}

template <typename T>
bool Parser::lex(std::size_t number, const Cell& cell, std::string_view text, T& value) {
  const Stream& stream = *readings_[number].stream;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const bool is_missing = text.data() == schema_.read.missing_value.data();
  if (is_missing && text == "nan") {
    if constexpr (!std::is_integral_v<T>) {
      value = not_a_number<T>();
      return true;
    }
    fail_cell(kMissing, number, cell,
              formatted("a value, as {} has no nan", to_string(stream.element_type)),
              "dtype=\"float32\" (--dtype float32) has it");
    return false;
  }
  NumberResult result{first, NumberCode::not_a_number};
  if (first != last) result = internal::lex_number(first, last, value);
  if (result.code == NumberCode::ok && result.next == last) return true;
  const auto hint_of = [&](const auto& hint) {
    return errors_.wants_text() ? hint(text, stream.element_type) : std::string();
  };
  if (result.code == NumberCode::not_a_number || result.next != last) {
    fail_cell(kNumber, number, cell, std::string(internal::number_word(std::is_integral_v<T>)),
              hint_of(internal::other_type_hint));
  } else if (result.code == NumberCode::out_of_range) {
    fail_cell(kNumberRange, number, cell,
              formatted("{} of {}", kNumberRange.expected, to_string(stream.element_type)),
              hint_of(internal::other_type_hint));
  } else {
    fail_cell(kInexact, number, cell,
              formatted("{} {} holds exactly", kInexact.expected, to_string(stream.element_type)),
              hint_of(internal::inexact_hint));
  }
  return false;
}

void Parser::read_class(std::size_t number, const Cell& cell) {
  const Reading& reading = readings_[number];
  text_.clear();
  append_text(cell, text_);
  const std::int64_t id = reading.column->classes->find(text_);
  if (id < 0) {
    fail_cell(kClass, number, cell, std::string(kClass.expected));
    return;
  }
  std::byte* const to = reading.values->sample();
  if (reading.stream->element_type == ElementType::i32) {
    const auto narrow = static_cast<std::int32_t>(id);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    std::memcpy(to, &id, sizeof id);
  }
}

void Parser::fail_cell(const ErrorKind& kind, std::size_t number, const Cell& cell,
                       std::string expected, std::string hint) {
  fail(kind, number, cell.first, cell.next - cell.first, std::move(expected), quoted(cell.whole()),
       std::move(hint));
}

void Parser::fail(const ErrorKind& kind, std::size_t number, const char* location,
                  std::int64_t size, std::string expected, std::string found, std::string hint) {
  is_bad_ = true;
  const Stream* stream = nullptr;
  if (number != kNoColumn) {
    stream = readings_[number].stream;
    const std::string& name = schema_.names[number];
    if (stream == nullptr || stream->name != name) {
      expected += formatted(" in column {}", quoted(name));
    }
  }
  const Row line = line_of(row_, location);
  const std::int64_t rest = std::max<std::int64_t>(1, line.end - location);
  errors_.add(range_, key_text(), errors_.at(line, location, std::min(size, rest)), kind, stream,
              std::move(expected), std::move(found), std::move(hint));
}

}  // namespace sheaf::csv
