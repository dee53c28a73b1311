// Values go directly to the end of their columns. If a sequence is wrong, its columns are cut back
// to where it began. The parser still reads the rest of the sequence, to report every error.
//
// After a wrong value the parser skips the rest of the sample, up to the next "|". The index
// continues there, too.

#include "format/ctf/ctf_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "core/element_cast.h"
#include "format/ctf/ctf_hints.h"
#include "format/ctf/ctf_values.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

using internal::lex_index;
using internal::lex_number;
using internal::lex_short_number;
using internal::NumberCode;
using internal::NumberResult;

// Fewer values are read one by one, because a kernel lists them first.
constexpr std::int64_t kKernelMin = 8;
constexpr std::ptrdiff_t kKernelMinBytes = 48;

/// Permutes pairs: element i becomes the pair from element order[i].
template <typename Position, typename T, typename Index>
void move_pairs(Index* indices, T* values, std::vector<Position>& order) {
  for (Position first = 0; first < order.size(); ++first) {
    const Index index = indices[first];
    const T value = values[first];
    Position to = first;  // walk the cycle of elements that exchange their pairs
    while (order[to] != first) {
      const Position from = order[to];
      indices[to] = indices[from];
      values[to] = values[from];
      order[to] = to;
      to = from;
    }
    indices[to] = index;
    values[to] = value;
    order[to] = to;
  }
}

/// Sorts pairs by index. Returns the first element whose index occurs at an earlier element, too,
/// or `count` if there is none. A row may have any number of pairs, so the sort takes only one
/// number of memory for each.
template <typename Position, typename T, typename Index>
std::int64_t sort_by_index(Index* indices, T* values, std::int64_t count) {
  std::vector<Position> order(static_cast<std::size_t>(count));  // the new order of the elements
  std::iota(order.begin(), order.end(), Position{0});
  std::ranges::sort(
      order, {}, [indices](Position position) { return std::pair(indices[position], position); });
  std::int64_t duplicate = count;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (indices[order[i - 1]] != indices[order[i]]) continue;
    duplicate = std::min(duplicate, static_cast<std::int64_t>(order[i]));
  }
  move_pairs(indices, values, order);
  return duplicate;
}

/// Takes whole numbers of few digits without a sign, such as token ids. A blank precedes each
/// number, and a blank, a "|" or the end follows it. Stops at anything else, and at a number that T
/// cannot represent.
template <typename T>
const char* take_whole_numbers(const char* p, const char* end, std::int64_t size, T* out,
                               std::int64_t& count) noexcept {
  while (count < size && *p == ' ' && p != end) {
    const internal::DigitRun digits(p + 1);
    if (digits.size() == 0 || digits.size() == 8) break;
    const char* const next = p + 1 + digits.size();
    if (!ends_value(next, end)) break;
    const std::uint64_t value = digits.value();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) break;
    out[count++] = static_cast<T>(value);
    p = next;
  }
  return p;
}

/// Returns the end of the token at `p`: a blank, a "|" or the end.
const char* token_end(const char* p, const char* end) noexcept {
  while (p != end && !is_blank(*p) && *p != '|') ++p;
  return p;
}

}  // namespace

template <typename Part>
Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
               const Part& part, Diagnostics& diagnostics, bool notes_ids)
    : kernels_(internal::field_kernels()),
      schema_(schema),
      index_(index),
      range_(source, schema, index, part),
      errors_(source, diagnostics),
      warnings_(range_.warnings()),
      notes_ids_(notes_ids),
      grouper_(mode, schema.has_text_keys),
      columns_(internal::column_writers(schema.streams)),
      short_rows_(schema),
      take_short_rows_(take_short_rows_of(schema.streams)) {
  for (const Stream& stream : schema.streams) {
    targets_.push_back({.lex = lex_of(stream), .dim = stream.sample_shape.size()});
  }
}

Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
               const ChunkRange& range, Diagnostics& diagnostics)
    : Parser(source, schema, mode, index, range, diagnostics, false) {}

Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode, const CtfIndex& index,
               const ScanPart& part, Diagnostics& diagnostics)
    : Parser(source, schema, mode, index, part, diagnostics,
             mode == KeyMode::lines && !schema.skips_ids) {}

Chunk Parser::parse() {
  range_.reserve(columns_);
  bool has_sequence = false;
  bool is_dropped = false;  // the index does not have the current sequence
  Head head;
  while (range_.next_row(row_)) {
    grouper_.next(row_, head);
    if (!head.is_data) continue;
    if (head.begins) {
      if (std::exchange(has_sequence, false)) end_sequence();
      is_dropped = !range_.begin_sequence(row_, grouper_.key());
      has_sequence = !is_dropped;
      if (has_sequence) begin_sequence(head);
    }
    if (is_dropped) continue;
    // An id with the same bytes as the id of the sequence needs no check.
    if (head.has_id && (head.begins || head.id_code != Head::IdCode::ok ||
                        skip_blanks(head.items, row_.end) == row_.end)) {
      check_head(head);
    }
    visit_items(row_, head, schema_.names, *this);
    if (short_rows_.learn(row_) && take_short_rows_ != nullptr) (this->*take_short_rows_)();
  }
  if (has_sequence) end_sequence();
  range_.end();
  return finish();
}

// Writes values to the columns before it is known whether a row is taken. Values of a row that is
// not taken lie after the values in use.
template <typename T, typename Index>
void Parser::take_short_rows() {
  struct RowTarget {
    T* values = nullptr;
    Index* indices = nullptr;
    std::uint64_t dim = 0;
  };
  const std::string& id = grouper_.key_text();
  if (id.empty()) return;  // each row is a sequence
  std::array<RowTarget, ShortRows::kItemsMax> targets{};
  std::int64_t rows_max = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < short_rows_.item_count(); ++i) {
    const internal::ColumnWriter& column = columns_[short_rows_.stream(i)];
    targets[i] = {column.values<T>(), column.indices<Index>(),
                  static_cast<std::uint64_t>(targets_[short_rows_.stream(i)].dim)};
    rows_max = std::min(rows_max, column.room());
  }
  const ShortRows::Run run = short_rows_.take(
      range_.ahead(), id, rows_max,
      [&targets](std::size_t item, std::int64_t row, std::uint64_t index, int digit) {
        const RowTarget& target = targets[item];
        if (index >= target.dim) return false;
        target.values[row] = internal::small_number<T>(digit);
        target.indices[row] = static_cast<Index>(index);
        return true;
      });
  range_.pass_over(run.end, run.row_count);
  for (std::size_t i = 0; i < short_rows_.item_count(); ++i) {
    columns_[short_rows_.stream(i)].end_samples_of_one(run.row_count);
    targets_[short_rows_.stream(i)].last_line = row_.line + run.row_count;
  }
}

void Parser::begin_sequence(const Head& head) {
  is_bad_ = false;
  unknown_count_ = 0;
  first_line_ = row_.line;
  if (notes_ids_ && head.has_id) {
    warnings_->ignored_id(kIgnoredId, row_, head.id_begin, head.id_end);
  }
  range_.extrapolate(columns_);
  for (internal::ColumnWriter& column : columns_) column.begin_sequence();
  if (schema_.has_text_keys) key_texts_.push_back(grouper_.key_text());
  if (range_.is_repeated()) fail_repeated_id(head);
}

void Parser::end_sequence() {
  // Thousands of streams may be missing in each of very many sequences.
  for (std::size_t i = 0; i < columns_.size() && !(is_bad_ && errors_.are_full()); ++i) {
    if (targets_[i].last_line < first_line_ && !schema_.allows_missing) fail_missing(i);
  }
  const std::int64_t number = range_.number();
  if (is_bad_) holes_.push_back(number);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (is_bad_) columns_[i].cut_back();
    const bool is_present = is_bad_ || targets_[i].last_line >= first_line_;
    columns_[i].end_sequence(number, range_.sequence_count(), is_present);
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
  std::vector<Column> columns = internal::finished(columns_);
  Chunk chunk(schema_.streams, range_.sequence_count(), std::move(columns), std::move(holes_));
  if (schema_.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
  range_.check_sample_counts(chunk);
  return chunk;
}

void Parser::nameless(const char* bar) {
  fail(kName, bar, 1, nullptr, std::string(kName.expected), quoted({bar, 1}));
}

void Parser::stray(const char* location) {
  fail_token(kStray, location, token_end(location, row_.end), nullptr,
             std::string(kStray.expected));
}

void Parser::control(const char* location) {
  fail(kControl, location, 1, nullptr, std::string(kControl.expected), quoted({location, 1}));
}

const char* Parser::sample(const char* bar, std::int64_t stream_number, const char* body,
                           const char* end) {
  const auto i = static_cast<std::size_t>(stream_number);
  const Stream& stream = schema_.streams[i];
  short_rows_.note(stream_number);
  Target& target = targets_[i];
  if (std::exchange(target.last_line, row_.line) == row_.line) {
    fail_token(kRepeatedStream, bar, body, &stream, std::string(kRepeatedStream.expected));
    return find_bar(body, end);
  }
  return (this->*target.lex)({columns_[i], stream, target.dim, bar, body, end});
}

template <typename T>
const char* Parser::number(const Sample& sample, const char* p, T& value) {
  if (const char* const next = lex_short_number(p, value);
      next != nullptr && ends_value(next, sample.end)) {
    return next;
  }
  return long_number(sample, p, value);
}

template <typename T>
const char* Parser::long_number(const Sample& sample, const char* p, T& value) {
  const char* const end = sample.end;
  const NumberResult result = lex_number(p, end, value);
  // A control byte ends a token. After a number, the control byte is the error, and not the number.
  const bool ends = ends_value(result.next, end);
  const bool is_cut = !ends && is_control(*result.next);
  if (result.code == NumberCode::ok && ends) return result.next;
  const std::string_view type = to_string(sample.stream.element_type);
  if ((ends || is_cut) && result.code == NumberCode::out_of_range) {
    fail_token(kNumberRange, p, result.next, &sample.stream,
               formatted("{} of {}", kNumberRange.expected, type));
  } else if ((ends || is_cut) && result.code == NumberCode::inexact) {
    fail_token(kInexact, p, result.next, &sample.stream,
               formatted("{} {} holds exactly", kInexact.expected, type));
  } else if (is_cut) {
    control(result.next);
  } else {
    fail_token(kNumber, p, token_end(p, end), &sample.stream,
               std::string(internal::number_word(std::is_integral_v<T>)));
  }
  return nullptr;
}

template <typename T>
const char* Parser::dense_sample(const Sample& sample) {
  const std::int64_t size = sample.dim;
  const char* const end = sample.end;
  // A sample cannot hold more values than half the bytes of its text.
  sample.writer.make_room(std::min(size, (end - sample.body) / 2 + 1));
  T* const out = sample.writer.values<T>();

  const char* p = sample.body;
  std::int64_t count = 0;
  [[maybe_unused]] std::int64_t kernel_from =
      size >= kKernelMin ? 0 : size;  // where to call the kernel next; `size`: nowhere
  for (;;) {
    if constexpr (std::is_integral_v<T>) {
      p = take_whole_numbers(p, end, size, out, count);
    } else {
      if constexpr (std::is_floating_point_v<T>) {
        if (count >= kernel_from && count < size) {
          internal::ValueField<T> field{out + count, size - count};
          p = kernels_.values<T>()(p, field);
          count += field.count;
          kernel_from = count + kKernelMin;
        }
      }
      // One digit and a blank is the most common form of a value.
      while (count < size && *p == ' ' && is_digit(p[1]) && p[2] == ' ') {
        out[count++] = internal::small_number<T>(p[1] - '0');
        p += 2;
      }
    }
    p = skip_blanks(p, end);
    if (p == end || *p == '|') break;
    if (count == size) {
      if (is_control(*p)) {
        control(p);
      } else {
        fail_token(kManyValues, p, token_end(p, end), &sample.stream,
                   formatted("{} {}", size, kManyValues.expected));
      }
      return find_bar(p, end);
    }
    const char* const next = number(sample, p, out[count]);
    if (next == nullptr) return find_bar(p, end);
    p = next;
    ++count;
  }
  if (count != size) {
    fail(kFewValues, sample.bar, sample.body - sample.bar, &sample.stream,
         formatted("{} {}", size, kFewValues.expected), std::to_string(count));
    return p;
  }
  sample.writer.end_sample(count);
  return p;
}

/// Parses "index:value". Notes an error and returns null if the pair is wrong.
template <typename T>
const char* Parser::pair(const Sample& sample, const char* p, std::uint64_t& index, T& value) {
  const char* const colon = lex_index(p, index);
  if (colon == p || *colon != ':' || ends_value(colon + 1, sample.end)) {
    fail_pair(sample, p, colon);
    return nullptr;
  }
  if (index >= static_cast<std::uint64_t>(sample.dim)) {
    fail_token(kIndexRange, p, colon, &sample.stream,
               formatted("{} {}", kIndexRange.expected, sample.dim));
    return nullptr;
  }
  const char* const next = colon + 2;
  if (is_digit(colon[1]) && ends_value(next, sample.end)) {
    value = internal::small_number<T>(colon[1] - '0');
    return next;
  }
  return number(sample, colon + 1, value);
}

/// Takes a sample of one pair whose value is a single digit, which is a common form. Returns null
/// for any other sample.
template <typename T, typename Index>
const char* Parser::short_sample(const Sample& sample) {
  const char* const end = sample.end;
  const char* p = sample.body;
  if (*p == ' ') ++p;
  std::uint64_t index = 0;
  const char* const colon = lex_index(p, index);
  if (colon == p || *colon != ':' || !is_digit(colon[1])) return nullptr;
  p = colon + 2;
  if (*p == ' ') ++p;
  if ((p != end && *p != '|') || index >= static_cast<std::uint64_t>(sample.dim)) return nullptr;
  sample.writer.make_room(1);
  *sample.writer.values<T>() = internal::small_number<T>(colon[1] - '0');
  *sample.writer.indices<Index>() = static_cast<Index>(index);
  sample.writer.end_sample(1);
  return p;
}

template <typename T, typename Index>
const char* Parser::sparse_sample(const Sample& sample) {
  const char* const end = sample.end;
  if (const char* const next = short_sample<T, Index>(sample); next != nullptr) return next;
  std::int64_t limit = (end - sample.body) / 4 + 1;  // a pair and its blank take four bytes
  if (!sample.writer.has_room(limit)) {
    limit = 0;
    static_cast<void>(kernels_.count_until(sample.body, end, '|', ':', limit));
    sample.writer.make_room(limit);
  }
  T* const values = sample.writer.values<T>();
  Index* const indices = sample.writer.indices<Index>();

  std::int64_t count = 0;
  bool is_sorted = true;
  const char* p = sample.body;
  [[maybe_unused]] std::int64_t kernel_from = 0;
  for (;;) {
    if constexpr (std::is_floating_point_v<T>) {
      if (count >= kernel_from && end - p >= kKernelMinBytes) {
        internal::PairField<T, Index> field{values + count, indices + count, sample.dim,
                                            limit - count};
        p = kernels_.pairs<T, Index>()(p, field);
        is_sorted = is_sorted && field.is_sorted &&
                    (count == 0 || field.count == 0 || indices[count - 1] < indices[count]);
        count += field.count;
        kernel_from = count + kKernelMin;
      }
    }
    p = skip_blanks(p, end);
    if (p == end || *p == '|') break;
    std::uint64_t index = 0;
    T value{};  // not in the column, which may have no room for a wrong pair
    const char* const next = pair(sample, p, index, value);
    if (next == nullptr) return find_bar(p, end);
    indices[count] = static_cast<Index>(index);
    values[count] = value;
    is_sorted = is_sorted && (count == 0 || indices[count - 1] < indices[count]);
    ++count;
    p = next;
  }
  if (!is_sorted && !sort_pairs<T, Index>(sample, count)) return p;
  sample.writer.end_sample(count);
  return p;
}

void Parser::fail_pair(const Sample& sample, const char* p, const char* colon) {
  if (colon != sample.end && is_control(*colon)) {
    control(colon);
  } else {
    fail_token(kPair, p, token_end(p, sample.end), &sample.stream, std::string(kPair.expected));
  }
}

/// Sorts the pairs of a sample by index. Reports an index that occurs twice, and then returns
/// false.
template <typename T, typename Index>
bool Parser::sort_pairs(const Sample& sample, std::int64_t count) {
  T* const values = sample.writer.values<T>();
  Index* const indices = sample.writer.indices<Index>();
  std::int64_t duplicate = count <= std::numeric_limits<std::uint32_t>::max()
                               ? sort_by_index<std::uint32_t>(indices, values, count)
                               : sort_by_index<std::uint64_t>(indices, values, count);
  if (duplicate == count) return true;
  const char* p = skip_blanks(sample.body, sample.end);
  for (; duplicate > 0; --duplicate) p = skip_blanks(token_end(p, sample.end), sample.end);
  fail_token(kDuplicateIndex, p, std::find(p, sample.end, ':'), &sample.stream,
             std::string(kDuplicateIndex.expected));
  return false;
}

void Parser::fail_token(const ErrorKind& kind, const char* token, const char* end,
                        const Stream* stream, std::string expected) {
  const auto size = static_cast<std::size_t>(end - token);
  fail(kind, token, end - token, stream, std::move(expected),
       errors_.wants_text() ? quoted({token, size}) : std::string());
}

void Parser::fail(const ErrorKind& kind, const char* location, std::int64_t size,
                  const Stream* stream, std::string expected, std::string found) {
  is_bad_ = true;
  std::string hint = errors_.wants_text() ? hint_for(kind, row_, location, stream) : std::string();
  errors_.add(range_, key_text(), errors_.at(row_, location, size), kind, stream,
              std::move(expected), std::move(found), std::move(hint));
}

void Parser::fail_repeated_id(const Head& head) {
  std::string expected(kRepeatedId.expected);
  const ErrorKind* kind = &kRepeatedId;
  if (errors_.wants_text()) {
    const FirstLocation first = index_.first_location_of(grouper_.key());
    expected += formatted(" (line {} has it)", first.line);
    if (schema_.has_text_keys && first.text != grouper_.key_text()) {
      kind = &kKeyCollision;
      expected = formatted("{} (line {} has {})", kind->expected, first.line, quoted(first.text));
    }
  }
  fail_token(*kind, head.id_begin, head.id_end, nullptr, std::move(expected));
}

void Parser::note_unknown(std::string_view name) {
  constexpr std::size_t kNameSizeMax = 256;
  const auto known = std::span(unknown_names_).first(unknown_count_);
  name = name.substr(0, kNameSizeMax);
  if (unknown_count_ == unknown_names_.size() || std::ranges::find(known, name) != known.end()) {
    return;
  }
  unknown_names_[unknown_count_++] = name;
}

void Parser::fail_missing(std::size_t stream_number) {
  is_bad_ = true;
  errors_.add(range_, key_text(), errors_.at_sequence(range_), kMissingStream,
              &schema_.streams[stream_number], std::string(kMissingStream.expected), "none",
              errors_.wants_text() ? missing_hint(stream_number) : std::string());
}

std::string Parser::missing_hint(std::size_t stream_number) const {
  const std::string& name = schema_.names.name(static_cast<std::int64_t>(stream_number));
  const std::optional<FoundStreams>& found = index_.found();
  return found ? missing_stream_hint(name, *found)
               : missing_stream_hint(name, std::span(unknown_names_).first(unknown_count_));
}

std::string_view Parser::key_text() const noexcept {
  // At the end of a sequence the grouper already has the key of the next one.
  return schema_.has_text_keys ? std::string_view(key_texts_.back()) : std::string_view();
}

// Outside the lambda below: clang 14 would not instantiate the functions whose addresses it takes.
template <typename T>
Parser::Lex Parser::lex_of_type(const Stream& stream) {
  if (stream.storage == Storage::dense) return &Parser::dense_sample<T>;
  if (stream.index_type == ElementType::i64) return &Parser::sparse_sample<T, std::int64_t>;
  return &Parser::sparse_sample<T, std::int32_t>;
}

template <typename T>
Parser::TakeShortRows Parser::take_short_rows_of_type(bool is_wide) {
  if (is_wide) return &Parser::take_short_rows<T, std::int64_t>;
  return &Parser::take_short_rows<T, std::int32_t>;
}

// One loop writes the values of all streams, so their types must be the same.
Parser::TakeShortRows Parser::take_short_rows_of(std::span<const Stream> streams) {
  const auto differs = [&](const Stream& stream) {
    return stream.storage != Storage::sparse ||
           stream.element_type != streams.front().element_type ||
           stream.index_type != streams.front().index_type;
  };
  if (streams.empty() || std::ranges::any_of(streams, differs)) return nullptr;
  const bool is_wide = streams.front().index_type == ElementType::i64;
  return internal::with_zero_of(streams.front().element_type,
                                [&]<typename T>(T) { return take_short_rows_of_type<T>(is_wide); });
}

Parser::Lex Parser::lex_of(const Stream& stream) {
  return internal::with_zero_of(stream.element_type,
                                [&]<typename T>(T) { return lex_of_type<T>(stream); });
}

}  // namespace sheaf::ctf
