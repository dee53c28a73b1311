// Parses rows like CNTK's parser, byte by byte. An error costs a sample or some text, but never the
// sequence. If the file ends without a newline, CNTK checks less.

#include "format/ctf/cntk/ctf_cntk_parser.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "core/element_cast.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

using internal::lex_number;
using internal::NumberCode;
using internal::NumberResult;

/// Returns the end of the longest text at `p` that CNTK takes for a number. Returns null if there
/// is none, with `p` where the parser noticed that. A digit must precede a point and an exponent.
const char* cntk_number_end(const char*& p, const char* end) noexcept {
  const auto skip_digits = [&] {
    const char* const first = p;
    while (p != end && is_digit(*p)) ++p;
    return p != first;
  };
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (!skip_digits()) return nullptr;
  bool may_have_exponent = true;
  if (p != end && *p == '.') {
    ++p;
    may_have_exponent = skip_digits();
  }
  if (may_have_exponent && p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (!skip_digits()) return nullptr;
  }
  return p;
}

/// Returns the end of a wrong value, for the message.
const char* cntk_token_end(const char* p, const char* end) noexcept {
  while (p != end && !ends_cntk_value(p, end)) ++p;
  return p;
}

}  // namespace

CntkParser::CntkParser(const ByteSource& source, const Schema& schema, const Beginning& beginning,
                       const CtfIndex& index, const ChunkRange& range, Diagnostics& diagnostics)
    : schema_(schema),
      beginning_(beginning),
      range_(source, schema, index, range),
      errors_(source, diagnostics),
      grouper_(beginning.mode),
      columns_(internal::column_writers(schema.streams)),
      value_counts_(schema.streams.size()) {
  for (std::int64_t i = 0; i < schema.names.size(); ++i) {
    name_size_max_ = std::max<std::ptrdiff_t>(name_size_max_, schema.names.name_size(i));
  }
}

Chunk CntkParser::parse() {
  range_.reserve(columns_);
  bool has_sequence = false;
  bool is_dropped = false;  // the index does not have the current sequence
  while (range_.next_row(row_)) {
    has_row_end_ = range_.has_row_end();
    end_ = cntk_row_end(row_);
    const CntkHead head = grouper_.next(row_, has_row_end_);
    if (head.begins) {
      if (std::exchange(has_sequence, false)) end_sequence();
      is_dropped = !range_.begin_sequence(row_, grouper_.key());
      has_sequence = !is_dropped;
      if (has_sequence) begin_sequence();
    }
    if (!is_dropped) read_row(head.items);
  }
  if (has_sequence) {
    if (!has_row_end_) warn(kNoNewline, row_.end, std::string(kNoNewline.expected), "none");
    end_sequence();
  }
  range_.end();

  std::vector<Column> columns = internal::finished(columns_);
  Chunk chunk(schema_.streams, range_.sequence_count(), std::move(columns), std::move(holes_));
  if (schema_.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  return chunk;
}

void CntkParser::begin_sequence() {
  for (internal::ColumnWriter& column : columns_) column.begin_sequence();
  std::ranges::fill(value_counts_, 0);
  if (schema_.has_text_keys) key_texts_.push_back(grouper_.key_text());
}

void CntkParser::end_sequence() {
  bool is_hole = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].samples_of_sequence() > 0 || schema_.allows_missing) continue;
    is_hole = true;
    fail_sequence(kMissingStream, &schema_.streams[i], std::string(kMissingStream.expected), "none",
                  Severity::fatal);
  }
  const std::int64_t number = range_.number();
  if (is_hole) {
    holes_.push_back(number);
  } else {
    check_length();
  }
  for (internal::ColumnWriter& column : columns_) {
    if (is_hole) column.cut_back();
    const bool is_present = is_hole || column.samples_of_sequence() > 0;
    column.end_sequence(number, range_.sequence_count(), is_present);
  }
}

// Compares the samples with the rows that the index counted.
void CntkParser::check_length() {
  const std::int64_t rows = range_.sample_count();
  const std::int64_t defining = schema_.defining_stream;
  std::int64_t longest = 0;
  auto longest_stream = static_cast<std::size_t>(std::max<std::int64_t>(defining, 0));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (defining >= 0 && std::cmp_not_equal(i, defining)) continue;
    if (columns_[i].samples_of_sequence() <= longest) continue;
    longest = columns_[i].samples_of_sequence();
    longest_stream = i;
  }
  if (longest == rows) return;
  fail_sequence(longest > rows ? kManySamples : kFewSamples, &schema_.streams[longest_stream],
                formatted("{} samples, as many as rows", rows), std::to_string(longest),
                Severity::error);
}

void CntkParser::read_row(const char* p) {
  row_samples_ = 0;
  while (p != end_) {
    if (is_blank(*p) || is_cntk_control(*p)) {
      ++p;
    } else if (*p == '|') {
      p = read_item(p);
    } else {
      fail(kStray, p, cntk_token_end(p, end_), nullptr, std::string(kStray.expected));
      p = find_bar(p, end_);
    }
  }
  if (row_samples_ == 0 && has_row_end_) {
    fail(kEmptyRow, row_.begin, row_.end, nullptr, std::string(kEmptyRow.expected));
  }
  if (row_samples_ > std::ssize(columns_)) {
    warn(kRepeatedStream, row_.begin, std::string(kRepeatedStream.expected),
         errors_.wants_text(Severity::warning)
             ? formatted("{} samples of {} streams", row_samples_, columns_.size())
             : "");
  }
}

// Reads the item at a "|". Returns where the next item may begin.
const char* CntkParser::read_item(const char* bar) {
  const char* p = bar + 1;
  if (p != end_ && *p == '#') return find_bar(p, end_);
  const char* const name = p;
  while (p != end_ && !ends_cntk_value(p, end_)) ++p;
  const bool is_cut = p == end_ && !has_row_end_;  // the text ends within the name
  if (p - name > name_size_max_) return find_bar(p, end_);
  if (is_cut) {
    fail(kCutShort, bar, p, nullptr, std::string(kCutShort.expected));
    return p;
  }
  if (p == name) {
    fail(kName, bar, bar + 1, nullptr, std::string(kName.expected));
    return find_bar(p, end_);
  }
  const std::int64_t stream = schema_.names.find({name, static_cast<std::size_t>(p - name)});
  if (stream == StreamNames::kUnknown) return find_bar(p, end_);
  if (!read_sample(static_cast<std::size_t>(stream), bar, p)) return find_bar(p, end_);
  ++row_samples_;
  return p;
}

// Reads the sample of the item at `bar` from `p`, and moves `p` past the sample. Returns false if
// the sample is wrong.
bool CntkParser::read_sample(std::size_t stream, const char* bar, const char*& p) {
  const Stream& description = schema_.streams[stream];
  return internal::with_zero_of(description.element_type, [&]<typename T>(T) {
    if (description.storage == Storage::dense) return read_dense<T>(stream, bar, p);
    if (description.index_type == ElementType::i64) return read_sparse<T, std::int64_t>(stream, p);
    return read_sparse<T, std::int32_t>(stream, p);
  });
}

// Parses a number. Notes an error and returns null if there is no number, or if other text follows
// the number. A sign may follow, because it begins the next value.
template <typename T>
const char* CntkParser::read_number(const char* p, const Stream& stream, T& value) {
  const char* seen = p;
  const char* const next = cntk_number_end(seen, end_);
  const bool is_number =
      next != nullptr && (ends_cntk_value(next, end_) || *next == '-' || *next == '+');
  if (!is_number) {
    const bool is_cut = next == nullptr && seen == end_ && !has_row_end_;
    fail(is_cut ? kCutShort : kNumber, p, cntk_token_end(p, end_), &stream,
         std::string(internal::number_word(std::is_integral_v<T>)));
    return nullptr;
  }
  T parsed{};
  const NumberResult result = lex_number(p, next, parsed);
  if constexpr (!std::is_floating_point_v<T>) {
    // CNTK has no whole types, so it has no leniency with them to imitate.
    if (result.next != next) {
      fail(kNumber, p, next, &stream, std::string(internal::number_word(true)));
      return nullptr;
    }
    if (result.code == NumberCode::out_of_range) {
      fail(kNumberRange, p, next, &stream,
           formatted("{} of {}", kNumberRange.expected, to_string(stream.element_type)));
      return nullptr;
    }
  } else if (result.code == NumberCode::out_of_range) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    parsed = *p == '-' ? -kInfinity : kInfinity;
  }
  value = parsed;
  return next;
}

template <typename T>
bool CntkParser::read_dense(std::size_t stream, const char* bar, const char*& p) {
  const Stream& description = schema_.streams[stream];
  const std::int64_t dim = description.sample_shape.size();
  internal::ColumnWriter& writer = columns_[stream];
  writer.make_room(dim);
  T* const out = writer.values<T>();
  const char* const begin = p;
  const char* extra = nullptr;  // the first value too many
  std::int64_t count = 0;
  for (p = skip_blanks(p, end_); p != end_ && *p != '|' && !is_cntk_control(*p);
       p = skip_blanks(p, end_)) {
    if (count == dim) extra = p;
    T value{};
    const char* const next = read_number(p, description, value);
    if (next == nullptr) return false;
    if (count < dim) out[count] = value;
    ++count;
    p = next;
  }
  const bool is_cut = p == end_ && !has_row_end_;
  if (is_cut && count == 0) {
    fail(kCutShort, begin, p, &description, formatted("{} {}", dim, kFewValues.expected));
    return false;
  }
  if (!is_cut && count > dim) {
    fail(kManyValues, extra, cntk_token_end(extra, end_), &description,
         formatted("{} {}", dim, kManyValues.expected));
    return false;
  }
  if (count < dim) {
    std::fill(out + count, out + dim, T{});
    const bool wants_text = errors_.wants_text(Severity::warning);  // there may be many
    warn(kFewValues, bar, wants_text ? formatted("{} {}", dim, kFewValues.expected) : "",
         wants_text ? formatted("{}, filled up with zeros", count) : "", &description);
  }
  writer.end_sample(dim);
  value_counts_[stream] += dim;
  return true;
}

template <typename T, typename Index>
bool CntkParser::read_sparse(std::size_t stream, const char*& p) {
  const Stream& description = schema_.streams[stream];
  const auto dim = static_cast<std::uint64_t>(description.sample_shape.size());
  internal::ColumnWriter& writer = columns_[stream];
  if (!writer.has_room((end_ - p) / 3 + 1)) {  // a pair takes three bytes
    std::int64_t colons = 0;
    static_cast<void>(count_until(p, end_, '|', ':', colons));
    writer.make_room(colons);
  }
  T* const values = writer.values<T>();
  Index* const indices = writer.indices<Index>();
  const char* const begin = p;
  std::int64_t count = 0;
  for (p = skip_blanks(p, end_); p != end_ && *p != '|' && !is_cntk_control(*p);
       p = skip_blanks(p, end_)) {
    const char* colon = p;
    std::uint64_t index = 0;
    bool overflows = false;
    for (; colon != end_ && is_digit(*colon); ++colon) {
      const std::uint64_t longer = index * 10 + static_cast<std::uint64_t>(*colon - '0');
      overflows = overflows || longer < index;
      index = longer;
    }
    if (colon == p || (!overflows && index < dim && (colon == end_ || *colon != ':'))) {
      const bool is_cut = colon == end_ && !has_row_end_;
      fail(is_cut ? kCutShort : kPair, p, cntk_token_end(p, end_), &description,
           std::string(kPair.expected));
      return false;
    }
    if (overflows || index >= dim) {
      fail(kIndexRange, p, colon, &description, formatted("{} {}", kIndexRange.expected, dim));
      return false;
    }
    const char* const next = read_number(colon + 1, description, values[count]);
    if (next == nullptr) return false;
    indices[count++] = static_cast<Index>(index);
    p = next;
  }
  if (p == end_ && !has_row_end_ && value_counts_[stream] + count == 0) {
    fail(kCutShort, begin, p, &description, std::string(kPair.expected));
    return false;
  }
  writer.end_sample(count);
  value_counts_[stream] += count;
  return true;
}

void CntkParser::fail(const ErrorKind& kind, const char* location, const char* end,
                      const Stream* stream, std::string expected) {
  const bool wants_text = errors_.wants_text();
  const char* const shown = std::min(end, row_.end);
  const char* const from = std::min(location, row_.end);
  Diagnostic diagnostic = errors_.at(row_, from, std::max<std::int64_t>(shown - from, 1));
  diagnostic.column += column_before(row_.offset);
  std::string found;
  if (wants_text) {
    found = shown > from ? quoted({from, static_cast<std::size_t>(shown - from)})
                         : std::string(has_row_end_ ? "the end of the row" : "the end of the file");
  }
  errors_.add(range_, key_text(), std::move(diagnostic), kind, stream, std::move(expected),
              std::move(found));
}

// Warns about an error that CNTK lets pass without counting it.
void CntkParser::warn(const ErrorKind& kind, const char* location, std::string expected,
                      std::string found, const Stream* stream) {
  Diagnostic diagnostic = errors_.at(row_, location, 1, Severity::warning);
  diagnostic.column += column_before(row_.offset);
  errors_.add(range_, key_text(), std::move(diagnostic), kind, stream, std::move(expected),
              std::move(found));
}

void CntkParser::fail_sequence(const ErrorKind& kind, const Stream* stream, std::string expected,
                               std::string found, Severity severity) {
  Diagnostic diagnostic = errors_.at_sequence(range_, severity);
  diagnostic.column += column_before(range_.offset());
  errors_.add(range_, key_text(), std::move(diagnostic), kind, stream, std::move(expected),
              std::move(found));
}

// Returns the column before a row in its line. White space may precede the first row.
std::int64_t CntkParser::column_before(std::int64_t row_offset) const noexcept {
  return row_offset == beginning_.offset ? beginning_.column - 1 : 0;
}

std::string_view CntkParser::key_text() const noexcept {
  // At the end of a sequence the grouper already has the key of the next one.
  return schema_.has_text_keys ? std::string_view(key_texts_.back()) : std::string_view();
}

}  // namespace sheaf::ctf
