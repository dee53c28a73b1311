// Values go straight to the end of their columns. Where a sequence turns out to be wrong, its
// columns are cut back to where it began; the rest of it is still read, to report every wrong
// place.
//
// After a wrong value the rest of its sample is skipped: up to the next "|", which is also where
// the index looks on.

#include "format/ctf/ctf_parser.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/ctf/ctf_number.h"

namespace sheaf::ctf {
namespace {

constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

/// Where the token at `p` ends: at a blank, a "|" or the end.
const char* token_end(const char* p, const char* end) noexcept {
  while (p != end && !is_blank(*p) && *p != '|') ++p;
  return p;
}

bool ends_value(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '|';
}

/// The index at `p`, and where it ends; nothing but `p` itself where there are no digits. Too large
/// ones become the largest there is, which no dim allows.
std::pair<std::uint64_t, const char*> lex_index(const char* p, const char* end) noexcept {
  constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 63;
  std::uint64_t index = 0;
  for (; p != end && is_digit(*p); ++p) {
    index = index >= kTooLarge / 16 ? kTooLarge : index * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  return {index, p};
}

/// Appends pairs to a column with a single check each; the column's sizes are set at the end.
template <typename T, typename Index>
class PairWriter {
 public:
  /// Pre: the column has `first` pairs that count; what lies behind them is overwritten.
  PairWriter(Column& column, std::int64_t first) : column_(column), count_(first) { bind(); }

  void push_back(Index index, T value) {
    if (count_ == capacity_) grow();
    indices_[count_] = index;
    values_[count_] = value;
    ++count_;
  }

  /// The pairs of the column.
  std::int64_t finish() {
    column_.values.resize(count_ * kValueSize);
    column_.indices.resize(count_ * kIndexSize);
    return count_;
  }

 private:
  static constexpr std::int64_t kValueSize = sizeof(T);
  static constexpr std::int64_t kIndexSize = sizeof(Index);

  void bind() {
    values_ = reinterpret_cast<T*>(column_.values.mutable_data());
    indices_ = reinterpret_cast<Index*>(column_.indices.mutable_data());
    capacity_ = std::min(column_.values.capacity_bytes() / kValueSize,
                         column_.indices.capacity_bytes() / kIndexSize);
  }

  void grow() {
    finish();  // what has no size yet would not be kept
    const std::int64_t capacity = count_ + count_ / 2 + 16;
    column_.values.reserve(capacity * kValueSize);
    column_.indices.reserve(capacity * kIndexSize);
    bind();
  }

  Column& column_;
  std::int64_t count_;
  std::int64_t capacity_ = 0;
  T* values_ = nullptr;
  Index* indices_ = nullptr;
};

}  // namespace

Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
               const ChunkRange& range, Diagnostics& diagnostics)
    : source_(source),
      schema_(schema),
      index_(index),
      diagnostics_(diagnostics),
      table_(index.sequences(range.chunk)),
      first_(range.first),
      grouper_(mode),
      columns_(schema.streams.size()),
      sequence_(range.first - 1) {
  chunk_ = *index.chunk(range.chunk);
  last_ = range.count < table_->size() - first_ ? first_ + range.count : table_->size();
  begin_offset_ = chunk_.offset_bytes + table_->offset_bytes(first_);
  end_offset_ = chunk_.offset_bytes +
                (last_ == table_->size() ? chunk_.size_bytes : table_->offset_bytes(last_));
  repeated_ = index.repeated(range.chunk);
  stream_counts_ = index.stream_counts(range.chunk);
}

Chunk Parser::parse() {
  reserve();
  RowReader rows(source_, begin_offset_, end_offset_,
                 chunk_.first_line + table_->first_line(first_), schema_.read_size_bytes);
  while (rows.next(row_)) {
    const Head head = lex_head(row_);
    if (!head.is_data) continue;
    if (grouper_.begins(row_, head)) {
      if (sequence_ >= first_) end_sequence();
      begin_sequence(head);
    }
    if (head.has_id) check_head(head);
    visit_items(row_, head, schema_.names, *this);
  }
  if (sequence_ + 1 != last_) throw_changed();
  end_sequence();
  return finish();
}

/// Ask for the memory that the index foresees: all of it for a whole chunk, a share and some more
/// for a part of one.
void Parser::reserve() {
  const bool is_whole = first_ == 0 && last_ == table_->size();
  const std::int64_t bytes = end_offset_ - begin_offset_;
  const auto share = [&](std::int64_t count) {
    if (is_whole) return count;
    const double part = static_cast<double>(bytes) / static_cast<double>(chunk_.size_bytes);
    return std::min(count,
                    static_cast<std::int64_t>(1.06 * part * static_cast<double>(count)) + 16);
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Stream& stream = schema_.streams[i];
    Column& column = columns_[i].column;
    const std::int64_t samples = share(stream_counts_[i].sample_count);
    if (stream.storage == Storage::sparse) {
      const std::int64_t pairs = share(stream_counts_[i].pair_count);
      column.indices.reserve(pairs * element_size(stream.index_type));
      column.values.reserve(pairs * element_size(stream.element_type));
      column.sample_offsets.reserve((samples + 1) * kOffsetSize);
      column.sample_offsets.push_back(std::int64_t{0});
    } else {
      // Two bytes of text make one value at the most, whatever the options say.
      const std::int64_t values = std::min(samples * stream.sample_shape.size(), bytes / 2 + 1);
      column.values.reserve(values * element_size(stream.element_type));
    }
  }
}

void Parser::begin_sequence(const Head& head) {
  ++sequence_;
  if (sequence_ >= last_ || grouper_.key() != table_->key(sequence_).low ||
      row_.offset != chunk_.offset_bytes + table_->offset_bytes(sequence_)) {
    throw_changed();
  }
  is_bad_ = false;
  for (ColumnBuilder& builder : columns_) {
    builder.sample_mark = builder.sample_count;
    builder.value_mark = builder.value_count;
    builder.last_line = 0;
  }
  if (std::ranges::binary_search(repeated_, sequence_)) {
    is_bad_ = true;
    std::string expected(kRepeatedId.expected);
    if (diagnostics_.wants_text()) {
      expected += formatted(" (line {} has it)", index_.first_line_of(grouper_.key()));
    }
    fail_token(kRepeatedId, head.id_begin, head.id_end, nullptr, std::move(expected));
  }
}

void Parser::end_sequence() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].last_line == 0) fail_missing(schema_.streams[i]);
  }
  if (is_bad_) holes_.push_back(sequence_ - first_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ColumnBuilder& builder = columns_[i];
    if (is_bad_) {
      builder.sample_count = builder.sample_mark;
      builder.value_count = builder.value_mark;
      const Stream& stream = schema_.streams[i];
      builder.column.values.resize(builder.value_count * element_size(stream.element_type));
      if (stream.storage == Storage::sparse) {
        builder.column.indices.resize(builder.value_count * element_size(stream.index_type));
        builder.column.sample_offsets.resize((builder.sample_count + 1) * kOffsetSize);
      }
    }
    Buffer& offsets = builder.column.sequence_offsets;
    if (offsets.empty()) {
      // Not written down as long as every sequence has one sample.
      const std::int64_t before = sequence_ - first_;
      if (builder.sample_count == before + 1) continue;
      offsets.reserve((last_ - first_ + 1) * kOffsetSize);
      offsets.resize((before + 1) * kOffsetSize);
      const auto written = offsets.as_mutable<std::int64_t>();
      std::iota(written.begin(), written.end(), std::int64_t{0});
    }
    offsets.push_back(builder.sample_count);
  }
}

void Parser::check_head(const Head& head) {
  const char* const id_token_end = token_end(head.id_end, row_.end);
  switch (head.id_code) {
    case Head::IdCode::bad_end:
      fail_token(kId, head.id_begin, id_token_end, nullptr, std::string(kId.expected));
      break;
    case Head::IdCode::out_of_range:
      fail_token(kIdRange, head.id_begin, head.id_end, nullptr, std::string(kIdRange.expected));
      break;
    case Head::IdCode::ok:
      if (skip_blanks(head.items, row_.end) == row_.end) {
        fail(kIdWithoutData, head.id_begin, head.id_end - head.id_begin, nullptr,
             std::string(kIdWithoutData.expected), "the end of the row");
      }
      break;
  }
}

Chunk Parser::finish() {
  std::vector<Column> columns;
  columns.reserve(columns_.size());
  for (ColumnBuilder& builder : columns_) columns.push_back(std::move(builder.column));
  return {schema_.streams, last_ - first_, std::move(columns), std::move(holes_)};
}

void Parser::nameless(const char* bar) {
  fail(kName, bar, 1, nullptr, std::string(kName.expected), quoted({bar, 1}));
}

void Parser::stray(const char* place) {
  fail_token(kStray, place, token_end(place, row_.end), nullptr, std::string(kStray.expected));
}

void Parser::control(const char* place) {
  fail(kControl, place, 1, nullptr, std::string(kControl.expected), quoted({place, 1}));
}

const char* Parser::sample(const char* bar, std::int64_t stream_number, const char* body,
                           const char* end) {
  const Stream& stream = schema_.streams[static_cast<std::size_t>(stream_number)];
  ColumnBuilder& builder = columns_[static_cast<std::size_t>(stream_number)];
  if (std::exchange(builder.last_line, row_.line) == row_.line) {
    fail_token(kRepeatedStream, bar, body, &stream, std::string(kRepeatedStream.expected));
    return find_bar(body, end);
  }
  const bool is_double = stream.element_type == ElementType::f64;
  if (stream.storage == Storage::dense) {
    return is_double ? dense_sample<double>(builder, stream, bar, body, end)
                     : dense_sample<float>(builder, stream, bar, body, end);
  }
  if (stream.index_type == ElementType::i64) {
    return is_double ? sparse_sample<double, std::int64_t>(builder, stream, body, end)
                     : sparse_sample<float, std::int64_t>(builder, stream, body, end);
  }
  return is_double ? sparse_sample<double, std::int32_t>(builder, stream, body, end)
                   : sparse_sample<float, std::int32_t>(builder, stream, body, end);
}

template <typename T>
const char* Parser::number(const Stream& stream, const char* p, const char* end, T& value) {
  // Whole numbers of few digits are exact as they are, and much data has no others.
  constexpr std::ptrdiff_t kExactDigits = 7;
  const char* const few = end - p > kExactDigits ? p + kExactDigits : end;
  const char* q = p;
  std::int32_t whole = 0;
  for (; q != few && is_digit(*q); ++q) whole = whole * 10 + (*q - '0');
  if (q != p && ends_value(q, end)) {
    value = static_cast<T>(whole);
    return q;
  }
  const NumberResult result = lex_number(p, end, value);
  // A control byte ends a token; it is wrong itself, after a number that is not.
  const bool ends = ends_value(result.next, end);
  const bool is_cut = !ends && is_control(*result.next);
  if (result.code == NumberCode::ok && ends) return result.next;
  if (is_cut && result.code != NumberCode::out_of_range) {
    control(result.next);
  } else if (result.code == NumberCode::out_of_range && (ends || is_cut)) {
    fail_token(kNumberRange, p, result.next, &stream,
               formatted("{} of {}", kNumberRange.expected, to_string(stream.element_type)));
  } else {
    fail_token(kNumber, p, token_end(p, end), &stream, std::string(kNumber.expected));
  }
  return nullptr;
}

template <typename T>
const char* Parser::dense_sample(ColumnBuilder& builder, const Stream& stream, const char* bar,
                                 const char* body, const char* end) {
  const std::int64_t size = stream.sample_shape.size();
  // The text bounds the memory: it cannot hold more values than half its bytes.
  const std::int64_t room = std::min(size, (end - body) / 2 + 1);
  constexpr std::int64_t kSize = sizeof(T);
  Buffer& values = builder.column.values;
  values.resize((builder.value_count + room) * kSize);
  T* const out = values.as_mutable<T>().data() + builder.value_count;

  const char* p = skip_blanks(body, end);
  std::int64_t count = 0;
  for (; p != end && *p != '|'; p = skip_blanks(p, end)) {
    if (count == size) {
      if (is_control(*p)) {
        control(p);
      } else {
        fail_token(kManyValues, p, token_end(p, end), &stream,
                   formatted("{} {}", size, kManyValues.expected));
      }
      return find_bar(p, end);
    }
    const char* const next = number(stream, p, end, out[count]);
    if (next == nullptr) return find_bar(p, end);
    p = next;
    ++count;
  }
  if (count != size) {
    fail(kFewValues, bar, body - bar, &stream, formatted("{} {}", size, kFewValues.expected),
         std::to_string(count));
    return p;
  }
  builder.value_count += size;
  ++builder.sample_count;
  return p;
}

template <typename T, typename Index>
const char* Parser::sparse_sample(ColumnBuilder& builder, const Stream& stream, const char* body,
                                  const char* end) {
  const auto dim = static_cast<std::uint64_t>(stream.sample_shape.size());
  const std::int64_t first = builder.value_count;
  PairWriter<T, Index> pairs(builder.column, first);
  bool is_sorted = true;
  std::int64_t previous = -1;
  const char* p = skip_blanks(body, end);
  for (; p != end && *p != '|'; p = skip_blanks(p, end)) {
    const auto [read, colon] = lex_index(p, end);
    if (colon == p || colon == end || *colon != ':' || ends_value(colon + 1, end)) {
      if (colon != end && is_control(*colon)) {
        control(colon);
      } else {
        fail_token(kPair, p, token_end(p, end), &stream, std::string(kPair.expected));
      }
      return find_bar(p, end);
    }
    if (read >= dim) {
      fail_token(kIndexRange, p, colon, &stream, formatted("{} {}", kIndexRange.expected, dim));
      return find_bar(p, end);
    }
    T value = 0;
    const char* const next = number(stream, colon + 1, end, value);
    if (next == nullptr) return find_bar(p, end);
    const auto index = static_cast<std::int64_t>(read);
    pairs.push_back(static_cast<Index>(index), value);
    is_sorted = is_sorted && index > previous;
    previous = index;
    p = next;
  }
  builder.value_count = pairs.finish();
  if (!is_sorted) sort_pairs<T, Index>(builder, stream, first, body, end);
  builder.column.sample_offsets.push_back(builder.value_count);
  ++builder.sample_count;
  return p;
}

/// Bring the pairs of a sample into the order of their indices; report an index that is there
/// twice.
template <typename T, typename Index>
void Parser::sort_pairs(ColumnBuilder& builder, const Stream& stream, std::int64_t first,
                        const char* body, const char* end) {
  const auto from = static_cast<std::size_t>(first);
  const std::span<T> values = builder.column.values.as_mutable<T>().subspan(from);
  const std::span<Index> indices = builder.column.indices.as_mutable<Index>().subspan(from);
  struct Pair {
    Index index;
    std::size_t place;
    T value;
  };
  std::vector<Pair> pairs;
  pairs.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) pairs.push_back({indices[i], i, values[i]});
  std::ranges::stable_sort(pairs, {}, &Pair::index);
  std::size_t duplicate = pairs.size();  // the first place whose index was there before
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    indices[i] = pairs[i].index;
    values[i] = pairs[i].value;
    if (i > 0 && pairs[i].index == pairs[i - 1].index) {
      duplicate = std::min(duplicate, pairs[i].place);
    }
  }
  if (duplicate == pairs.size()) return;
  const char* p = skip_blanks(body, end);
  for (; duplicate > 0; --duplicate) p = skip_blanks(token_end(p, end), end);
  fail_token(kDuplicateIndex, p, std::find(p, end, ':'), &stream,
             std::string(kDuplicateIndex.expected));
}

void Parser::fail_token(const ErrorKind& kind, const char* token, const char* end,
                        const Stream* stream, std::string expected) {
  const auto size = static_cast<std::size_t>(end - token);
  fail(kind, token, end - token, stream, std::move(expected),
       diagnostics_.wants_text() ? quoted({token, size}) : std::string());
}

void Parser::fail(const ErrorKind& kind, const char* place, std::int64_t size, const Stream* stream,
                  std::string expected, std::string found) {
  Diagnostic diagnostic;
  diagnostic.line = row_.line;
  diagnostic.column = place - row_.begin + 1;
  diagnostic.byte_offset = row_.offset_of(place);
  if (diagnostics_.wants_text()) set_excerpt(diagnostic, row_.text(), place - row_.begin, size);
  add_diagnostic(std::move(diagnostic), kind, stream, std::move(expected), std::move(found));
}

void Parser::fail_missing(const Stream& stream) {
  Diagnostic diagnostic;
  diagnostic.line = chunk_.first_line + table_->first_line(sequence_);
  diagnostic.column = 1;
  diagnostic.byte_offset = chunk_.offset_bytes + table_->offset_bytes(sequence_);
  if (diagnostics_.wants_text()) {
    // The row is no longer in the buffer.
    constexpr std::int64_t kExcerptSize = 128;
    std::array<char, kExcerptSize> bytes{};
    const std::int64_t size = std::min(kExcerptSize, end_offset_ - diagnostic.byte_offset);
    const auto into = std::span(bytes).first(static_cast<std::size_t>(size));
    source_.read_at(diagnostic.byte_offset, std::as_writable_bytes(into));
    const std::string_view text(into.data(), into.size());
    const std::string_view row = text.substr(0, text.find('\n'));
    set_excerpt(diagnostic, row.substr(0, row.find_last_not_of('\r') + 1), 0, 1);
  }
  add_diagnostic(std::move(diagnostic), kMissingStream, &stream,
                 std::string(kMissingStream.expected), "none");
}

void Parser::add_diagnostic(Diagnostic diagnostic, const ErrorKind& kind, const Stream* stream,
                            std::string expected, std::string found) {
  is_bad_ = true;
  if (diagnostics_.wants_text()) {
    diagnostic.path = source_.name();
    diagnostic.sequence_key = to_string(table_->key(sequence_));
    diagnostic.code = kind.code;
    if (stream != nullptr) diagnostic.stream = stream->name;
    diagnostic.expected = std::move(expected);
    diagnostic.found = std::move(found);
  }
  diagnostics_.add(sequence_, std::move(diagnostic));
}

void Parser::throw_changed() const {
  throw IoError(
      formatted("{}: near line {}: not what was there when it was indexed; the file "
                "has changed since",
                source_.name(), row_.line));
}

}  // namespace sheaf::ctf
