// Values go directly to the end of their columns. If a sequence is wrong, its columns are cut back
// to where it began. The rest of the sequence is still read, to report every error. A row reports
// at most one wrong label, one wrong qid and one wrong pair. The parser skips the rest of the row
// after a wrong pair.

#include "format/libsvm/libsvm_parser.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "core/element_cast.h"
#include "format/text/text_format.h"

namespace sheaf::libsvm {
namespace {

using internal::lex_index;
using internal::lex_number;
using internal::lex_short_number;
using internal::NumberCode;
using internal::NumberResult;

/// Returns the member function for the types of a stream.
template <typename Read, typename Make>
Read reader_of(const Stream& stream, const Make& make) {
  const bool is_wide = stream.index_type == ElementType::i64;
  return internal::with_zero_of(stream.element_type, [&](auto zero) -> Read {
    return is_wide ? make(zero, std::int64_t{}) : make(zero, std::int32_t{});
  });
}

std::string base_hint(std::int64_t base) {
  return formatted(
      "indices from {0} on are read with libsvm.base={0} "
      "(--format-option libsvm.base={0})",
      base);
}

constexpr std::int64_t kNoIndex = -1;

}  // namespace

template <typename Part>
Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
               const internal::ScannedIndex& index, const Part& part, Diagnostics& diagnostics,
               std::uint64_t first_key)
    : kernels_(internal::field_kernels()),
      schema_(schema),
      mode_(mode),
      index_(index),
      range_(source, schema, index, part),
      errors_(source, diagnostics),
      grouper_(mode, first_key),
      columns_(internal::column_writers(schema.streams)),
      read_label_(label_reader()),
      read_features_(features_reader()) {}

Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
               const internal::ScannedIndex& index, const ChunkRange& range,
               Diagnostics& diagnostics)
    : Parser(source, schema, mode, index, range, diagnostics,
             index.sequences(range.chunk)->key(range.first).low) {}

Parser::Parser(const ByteSource& source, const Schema& schema, KeyMode mode,
               const internal::ScannedIndex& index, const internal::ScanPart& part,
               Diagnostics& diagnostics)
    : Parser(source, schema, mode, index, part, diagnostics, 0) {}

Parser::Read Parser::label_reader() const {
  if (schema_.label < 0) return nullptr;
  const bool is_dense = label_stream().storage == Storage::dense;
  return reader_of<Read>(label_stream(), [&]<typename T, typename Index>(T, Index) -> Read {
    return is_dense ? &Parser::read_label<T> : &Parser::read_label_list<T, Index>;
  });
}

Parser::Read Parser::features_reader() const {
  if (schema_.features < 0) return nullptr;
  const bool is_dense = features_stream().storage == Storage::dense;
  return reader_of<Read>(features_stream(), [&]<typename T, typename Index>(T, Index) -> Read {
    return is_dense ? &Parser::read_dense<T> : &Parser::read_sparse<T, Index>;
  });
}

Chunk Parser::parse() {
  range_.reserve(columns_);
  bool has_sequence = false;
  while (range_.next_row(row_)) {
    const Head head = grouper_.next(row_);
    if (!head.is_data) continue;
    if (head.begins) {
      if (has_sequence) end_sequence();
      // The index drops no sequence, so it has this one.
      has_sequence = range_.begin_sequence(row_, grouper_.key());
      begin_sequence(head);
    }
    check_qid(head);
    if (read_label_ != nullptr) (this->*read_label_)(head);
    if (read_features_ != nullptr) (this->*read_features_)(head);
  }
  if (has_sequence) end_sequence();
  range_.end();
  return finish();
}

void Parser::begin_sequence(const Head& head) {
  is_bad_ = false;
  range_.extrapolate(columns_);
  for (internal::ColumnWriter& column : columns_) column.begin_sequence();
  if (!range_.is_repeated()) return;
  std::string expected(kRepeatedQid.expected);
  if (errors_.wants_text()) {
    expected += formatted(" (line {} has it)", index_.first_location(grouper_.key()).line);
  }
  fail(kRepeatedQid, head.qid_token, nullptr, std::move(expected));
}

void Parser::end_sequence() {
  const std::int64_t number = range_.number();
  if (is_bad_) holes_.push_back(number);
  for (internal::ColumnWriter& column : columns_) {
    if (is_bad_) column.cut_back();
    column.end_sequence(number, range_.sequence_count(), true);
  }
}

void Parser::check_qid(const Head& head) {
  switch (head.qid_code) {
    case Head::Qid::none:
      if (mode_ == KeyMode::qids) {
        fail(kNoQid, {head.first, token_end(head.first, row_.end)}, nullptr,
             std::string(kNoQid.expected));
      }
      break;
    case Head::Qid::good:
      if (mode_ == KeyMode::rows && !schema_.skips_qids) {
        fail(kStrayQid, head.qid_token, nullptr, std::string(kStrayQid.expected),
             "skip_sequence_ids (--skip-sequence-ids) passes over all of them");
      }
      break;
    case Head::Qid::bad:
      fail(kQid, head.qid_token, nullptr, std::string(kQid.expected));
      break;
    case Head::Qid::out_of_range:
      fail(kQidRange, head.qid_token, nullptr, std::string(kQidRange.expected));
      break;
  }
}

Chunk Parser::finish() {
  Chunk chunk(schema_.streams, range_.sequence_count(), internal::finished(columns_),
              std::move(holes_));
  range_.check_sample_counts(chunk);
  return chunk;
}

template <typename T>
const char* Parser::number(const char* p, const Stream& stream, const ErrorKind& kind, T& value) {
  if (const char* const next = lex_short_number(p, value);
      next != nullptr && ends_token(next, row_.end)) {
    return next;
  }
  return long_number(p, stream, kind, value);
}

template <typename T>
const char* Parser::long_number(const char* p, const Stream& stream, const ErrorKind& kind,
                                T& value) {
  const NumberResult result = lex_number(p, row_.end, value);
  if (!ends_token(result.next, row_.end) || result.code == NumberCode::not_a_number) {
    const Token token{p, token_end(p, row_.end)};
    const bool is_list = &kind == &kLabel && token.text().find(',') != std::string_view::npos;
    const std::string number(internal::number_word(std::is_integral_v<T>));
    fail(kind, token, &stream, &kind == &kNumber ? number : "a label that is " + number,
         is_list ? "a list of labels is read as a sparse stream (--stream label:sparse)"
         : errors_.wants_text() ? internal::other_type_hint(token.text(), stream.element_type)
                                : "");
    return nullptr;
  }
  if (result.code == NumberCode::out_of_range) {
    fail(kNumberRange, {p, result.next}, &stream,
         formatted("{} of {}", kNumberRange.expected, to_string(stream.element_type)),
         errors_.wants_text()
             ? internal::other_type_hint({p, static_cast<std::size_t>(result.next - p)},
                                         stream.element_type)
             : "");
    return nullptr;
  }
  if (result.code == NumberCode::inexact) {
    const Token token{p, result.next};
    fail(kInexact, token, &stream,
         formatted("{} {} holds exactly", kInexact.expected, to_string(stream.element_type)),
         errors_.wants_text() ? internal::inexact_hint(token.text(), stream.element_type) : "");
    return nullptr;
  }
  return result.next;
}

void Parser::fail_label(const Head& head, const ErrorKind& kind) {
  const Token token =
      head.label.empty() ? Token{head.first, token_end(head.first, row_.end)} : head.label;
  fail(kind, token, &label_stream(), std::string(kind.expected),
       head.label.empty() ? "data without labels are read without the stream label" : "");
}

template <typename T>
void Parser::read_label(const Head& head) {
  if (head.label.empty()) return fail_label(head, kLabel);
  internal::ColumnWriter& column = label_column();
  column.make_room(1);
  if (number(head.label.begin, label_stream(), kLabel, *column.values<T>()) == nullptr) return;
  column.end_sample(1);
}

template <typename T, typename Index>
void Parser::read_label_list(const Head& head) {
  const auto dim = static_cast<std::uint64_t>(label_stream().sample_shape.size());
  internal::ColumnWriter& column = label_column();
  std::int64_t count = 0;
  if (!head.label.empty()) {
    column.make_room(1 + std::count(head.label.begin, head.label.end, ','));
    for (const char* p = head.label.begin;; ++p) {
      std::uint64_t label = 0;
      const char* const end = lex_index(p, label);
      if (end == p || (*end != ',' && end != head.label.end)) return fail_label(head, kLabelList);
      if (label >= dim) {
        return fail(kLabelRange, {p, end}, &label_stream(),
                    formatted("{} {}", kLabelRange.expected, dim));
      }
      column.indices<Index>()[count] = static_cast<Index>(label);
      column.values<T>()[count++] = internal::small_number<T>(1);
      p = end;
      if (p == head.label.end) break;
    }
  }
  if (count > 1 && !sort_labels<Index>(head.label, count)) return;
  column.end_sample(count);
}

/// Sorts the labels of a row. Reports the first label that occurs twice, and then returns false.
/// All values of labels are 1.
template <typename Index>
bool Parser::sort_labels(const Token& labels, std::int64_t count) {
  const std::span<Index> indices(label_column().indices<Index>(), static_cast<std::size_t>(count));
  const std::vector<Index> written(indices.begin(), indices.end());
  std::ranges::sort(indices);
  if (std::ranges::adjacent_find(indices) == indices.end()) return true;
  std::unordered_set<Index> before;
  const char* p = labels.begin;
  for (const Index label : written) {
    const char* const end = std::find(p, labels.end, ',');
    if (!before.insert(label).second) {
      fail(kDuplicateLabel, {p, end}, &label_stream(), std::string(kDuplicateLabel.expected));
      break;
    }
    p = end + 1;
  }
  return false;
}

template <typename T>
void Parser::read_dense(const Head& head) {
  const std::int64_t dim = features_stream().sample_shape.size();
  internal::ColumnWriter& column = features_column();
  column.make_room(dim);
  T* const values = column.values<T>();
  std::fill_n(values, dim, T{});
  const bool is_good = read_pairs<T>(
      head.pairs, kNoIndex, [values](std::uint64_t index, T value) { values[index] = value; });
  if (is_good) column.end_sample(dim);
}

template <typename T, typename Index>
void Parser::read_sparse(const Head& head) {
  internal::ColumnWriter& column = features_column();
  std::int64_t limit = (row_.end - head.pairs) / 4 + 1;  // a pair and its blank take four bytes
  if (!column.has_room(limit)) {
    limit = 0;
    static_cast<void>(kernels_.count_until(head.pairs, row_.end, '#', ':', limit));
    column.make_room(limit);
  }
  T* const values = column.values<T>();
  Index* const indices = column.indices<Index>();
  const char* p = head.pairs;
  std::int64_t count = 0;
  if constexpr (std::is_floating_point_v<T>) count = take_pairs(p, limit, values, indices);
  const std::int64_t previous = count > 0 ? indices[count - 1] + schema_.base : kNoIndex;
  const bool is_good = read_pairs<T>(p, previous, [&](std::uint64_t index, T value) {
    indices[count] = static_cast<Index>(index);
    values[count++] = value;
  });
  if (is_good) column.end_sample(count);
}

/// Takes the first pairs of a row, many at a time, while they are right. Returns their number, and
/// moves `p` past them. Takes none if an index is too small or not in order.
template <typename T, typename Index>
std::int64_t Parser::take_pairs(const char*& p, std::int64_t limit, T* values, Index* indices) {
  constexpr std::ptrdiff_t kKernelMinBytes = 48;
  if (row_.end - p < kKernelMinBytes) return 0;
  internal::PairField<T, Index> field{values, indices,
                                      features_stream().sample_shape.size() + schema_.base, limit};
  const char* const left = kernels_.pairs<T, Index>()(p, field);
  // For a kernel, "|" and control bytes end a field. Here they are parts of tokens.
  const bool is_cut = left != row_.end && (*left == '|' || internal::is_control(*left));
  if (is_cut || field.count == 0 || !field.is_sorted || indices[0] < schema_.base) return 0;
  for (std::int64_t i = 0; i < field.count; ++i) {
    indices[i] = static_cast<Index>(indices[i] - schema_.base);
  }
  p = left;
  return field.count;
}

/// Reads the pairs from `p` on, which follow a pair with the index `previous`.
template <typename T, typename Store>
bool Parser::read_pairs(const char* p, std::int64_t previous, const Store& store) {
  const Stream& stream = features_stream();
  const auto base = static_cast<std::uint64_t>(schema_.base);
  const auto dim = static_cast<std::uint64_t>(stream.sample_shape.size());
  const char* const end = row_.end;
  for (p = skip_blanks(p, end); p != end && *p != '#'; p = skip_blanks(p, end)) {
    std::uint64_t index = 0;
    const char* const colon = lex_index(p, index);
    const bool is_pair = colon != p && *colon == ':' && !ends_token(colon + 1, end);
    // An index below the base wraps around, and so is not below dim.
    if (!is_pair || index - base >= dim || static_cast<std::int64_t>(index) <= previous) {
      fail_pair(p, is_pair ? colon : nullptr, index, previous);
      return false;
    }
    T value{};
    const char* next = colon + 2;
    if (is_digit(colon[1]) && ends_token(next, end)) {
      value = internal::small_number<T>(colon[1] - '0');
    } else {
      next = number(colon + 1, stream, kNumber, value);
      if (next == nullptr) return false;
    }
    store(index - base, value);
    previous = static_cast<std::int64_t>(index);
    p = next;
  }
  return true;
}

/// Reports the pair at `p`, which is wrong up to its colon. A null colon means that it is not a
/// pair.
void Parser::fail_pair(const char* p, const char* colon, std::uint64_t index,
                       std::int64_t previous) {
  const Stream& stream = features_stream();
  if (colon == nullptr) {
    fail(kPair, {p, token_end(p, row_.end)}, &stream, std::string(kPair.expected));
    return;
  }
  const auto base = static_cast<std::uint64_t>(schema_.base);
  const auto dim = static_cast<std::uint64_t>(stream.sample_shape.size());
  if (index - base < dim) {
    fail(kOrder, {p, colon}, &stream, formatted("{} {}", kOrder.expected, previous),
         "indices ascend within a row, each at most once");
    return;
  }
  std::string hint;
  if (base == 1 && index == 0) hint = base_hint(0);
  if (base == 0 && index == dim) hint = base_hint(1);
  fail(kIndexRange, {p, colon}, &stream,
       formatted("{} {} to {}", kIndexRange.expected, base, base + dim - 1), std::move(hint));
}

void Parser::fail(const ErrorKind& kind, const Token& token, const Stream* stream,
                  std::string expected, std::string hint) {
  is_bad_ = true;
  errors_.add(range_, {}, errors_.at(row_, token.begin, token.end - token.begin), kind, stream,
              std::move(expected), errors_.wants_text() ? quoted(token.text()) : std::string(),
              std::move(hint));
}

}  // namespace sheaf::libsvm
