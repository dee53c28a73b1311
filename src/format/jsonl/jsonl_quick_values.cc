// One pass checks the text and converts its values. No message is made here: if a value is not as
// expected, the whole row is parsed again by the code that makes messages.

#include "format/jsonl/jsonl_quick_values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <simdjson.h>

#include "base/number.h"
#include "base/text_scan.h"
#include "core/element_cast.h"
#include "format/jsonl/jsonl_text.h"
#include "format/text/number_list.h"

namespace sheaf::jsonl {
namespace {

using internal::ColumnWriter;
using internal::ValueField;

template <typename T>
constexpr bool kHasKernel = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                            std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>;

template <typename T>
const char* read_list(const QuickRequest& request, const char* p, ValueField<T>& field) {
  if constexpr (kHasKernel<T>) {
    return request.kernels.list<T>()(p, field);
  } else {
    return internal::read_number_list(p, field);
  }
}

// Reads a list of any length. `destination` returns where its values go in the column; the column
// has room for as many as it says. Sets the count. `p` is the byte after "[".
template <typename T, typename Destination>
const char* read_long_list(const QuickRequest& request, const char* p, ColumnWriter& column,
                           const Destination& destination, std::int64_t& count) {
  // Each value takes at least two bytes of text. The column seldom has to grow for that many.
  const std::int64_t most = (request.end - p) / 2 + 1;
  for (;;) {
    ValueField<T> field{.values = destination(), .limit = std::min(most, column.room())};
    const char* const end = read_list(request, p, field);
    count = field.count;
    if (end != nullptr || field.count < field.limit || field.limit == most) return end;
    column.make_room(most);
  }
}

template <typename T>
const char* read_one(const QuickRequest& request, ColumnWriter& column) {
  if (request.stream.sample_shape.size() != 1) return nullptr;
  column.make_room(1);
  const char* const p = request.begin;
  const char* end = nullptr;
  if (std::string_view(p, 4) == "true") {
    *column.values<T>() = internal::small_number<T>(1);
    end = p + 4;
  } else if (std::string_view(p, 5) == "false") {
    *column.values<T>() = internal::small_number<T>(0);
    end = p + 5;
  } else {
    end = internal::read_json_number(p, *column.values<T>());
  }
  if (end != nullptr) column.end_sample(1);
  return end;
}

// Reads a list of samples that are lists. `p` is at the first of them.
template <typename T>
const char* read_lists(const QuickRequest& request, const char* p, ColumnWriter& column) {
  const std::int64_t size = request.stream.sample_shape.size();
  for (;;) {
    if (*p != '[') return nullptr;
    column.make_room(std::min(size, (request.end - p) / 2 + 1));
    ValueField<T> field{.values = column.values<T>(), .limit = std::min(size, column.room())};
    p = read_list(request, p + 1, field);
    if (p == nullptr || field.count != size) return nullptr;
    column.end_sample(size);
    p = skip_usual_space(p);
    if (*p == ']') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_usual_space(p + 1);
  }
}

template <typename T>
const char* read_dense_quickly(const QuickRequest& request, ColumnWriter& column) {
  if (*request.begin != '[') return read_one<T>(request, column);
  const char* const first = skip_usual_space(request.begin + 1);
  if (*first == '[') return read_lists<T>(request, first, column);
  std::int64_t count = 0;
  const char* const end = read_long_list<T>(
      request, first, column, [&column] { return column.values<T>(); }, count);
  if (end == nullptr || count == 0) return end;
  const std::int64_t size = request.stream.sample_shape.size();
  if (size == 1) {
    column.end_samples_of_one(count);
  } else {
    if (count != size) return nullptr;
    column.end_sample(size);
  }
  return end;
}

// Returns the byte after `name` in quotes and a colon, or null if there is something else.
const char* after_name(const char* p, const char* row_end, std::string_view name) noexcept {
  const auto size = static_cast<std::ptrdiff_t>(name.size());
  if (row_end - p < size || std::memcmp(p, name.data(), name.size()) != 0) return nullptr;
  p = skip_usual_space(p + size);
  return *p == ':' ? skip_usual_space(p + 1) : nullptr;
}

// Returns whether indices ascend and lie below `dim`.
template <typename Index>
bool are_right(const Index* indices, std::int64_t count, std::int64_t dim) noexcept {
  bool is_right = count == 0 || (indices[0] >= 0 && std::int64_t{indices[count - 1]} < dim);
  for (std::int64_t i = 1; i < count; ++i) is_right &= indices[i - 1] < indices[i];
  return is_right;
}

// Reads a sparse sample.
template <typename T, typename Index>
const char* read_pairs(const QuickRequest& request, const char* p, ColumnWriter& column) {
  if (*p != '{') return nullptr;
  p = after_name(skip_usual_space(p + 1), request.end, "\"indices\"");
  if (p == nullptr || *p != '[') return nullptr;
  if (*skip_usual_space(p + 1) == '-') return nullptr;  // indices have no sign, not even -0
  std::int64_t count = 0;
  p = read_long_list<Index>(
      request, p + 1, column, [&column] { return column.indices<Index>(); }, count);
  if (p == nullptr) return nullptr;
  if (!are_right(column.indices<Index>(), count, request.stream.sample_shape.size())) {
    return nullptr;
  }
  p = skip_usual_space(p);
  if (*p == ',') {
    p = after_name(skip_usual_space(p + 1), request.end, "\"values\"");
    if (p == nullptr || *p != '[') return nullptr;
    ValueField<T> field{.values = column.values<T>(), .limit = count};
    p = read_list(request, p + 1, field);
    if (p == nullptr || field.count != count) return nullptr;
    p = skip_usual_space(p);
  } else {
    std::fill_n(column.values<T>(), count, internal::small_number<T>(1));
  }
  if (*p != '}') return nullptr;
  column.end_sample(count);
  return p + 1;
}

template <typename T, typename Index>
const char* read_sparse_quickly(const QuickRequest& request, ColumnWriter& column) {
  const char* p = request.begin;
  if (*p != '[') return read_pairs<T, Index>(request, p, column);
  p = skip_usual_space(p + 1);
  if (*p == ']') return p + 1;
  for (;;) {
    p = read_pairs<T, Index>(request, p, column);
    if (p == nullptr) return nullptr;
    p = skip_usual_space(p);
    if (*p == ']') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_usual_space(p + 1);
  }
}

// Returns the closing quote of a text of UTF-8 without escapes and control bytes, or null if the
// text has others. `p` is the byte after the opening quote.
const char* plain_text_end(const char* p, const char* row_end) noexcept {
  constexpr std::uint64_t kHigh = internal::kEachByte * 0x80;
  const char* const begin = p;
  std::uint64_t highs = 0;
  for (; p < row_end; p += 8) {
    const std::uint64_t word = internal::load_word(p);
    highs |= word & kHigh;
    // Borrows reach only bytes behind the first byte below a blank.
    const std::uint64_t controls = (word - internal::kEachByte * ' ') & ~word & kHigh;
    const std::uint64_t marks =
        internal::bytes_equal(word, '"') | internal::bytes_equal(word, '\\') | controls;
    if (marks == 0) continue;
    p += std::countr_zero(marks) / 8;
    if (*p != '"') return nullptr;
    const bool is_right =
        highs == 0 || simdjson::validate_utf8(begin, static_cast<std::size_t>(p - begin));
    return is_right ? p : nullptr;
  }
  return nullptr;
}

const char* read_text_quickly(const QuickRequest& request, const char* p, ColumnWriter& column) {
  if (*p != '"') return nullptr;
  const char* const end = plain_text_end(p + 1, request.end);
  if (end == nullptr) return nullptr;
  const std::int64_t size = end - p - 1;
  column.make_room(size);
  if (size > 0) std::memcpy(column.values<char>(), p + 1, static_cast<std::size_t>(size));
  column.end_sample(size);
  return end + 1;
}

const char* read_texts_quickly(const QuickRequest& request, ColumnWriter& column) {
  const char* p = request.begin;
  if (*p != '[') return read_text_quickly(request, p, column);
  p = skip_usual_space(p + 1);
  if (*p == ']') return p + 1;
  for (;;) {
    p = read_text_quickly(request, p, column);
    if (p == nullptr) return nullptr;
    p = skip_usual_space(p);
    if (*p == ']') return p + 1;
    if (*p != ',') return nullptr;
    p = skip_usual_space(p + 1);
  }
}

}  // namespace

ReadQuickly quick_reader(const Stream& stream) {
  if (stream.element_type == ElementType::bytes) return read_texts_quickly;
  const bool is_sparse = stream.storage == Storage::sparse;
  const bool is_wide = stream.index_type == ElementType::i64;
  return internal::with_zero_of(stream.element_type,
                                [is_sparse, is_wide]<typename T>(T) -> ReadQuickly {
                                  if (!is_sparse) return read_dense_quickly<T>;
                                  return is_wide ? read_sparse_quickly<T, std::int64_t>
                                                 : read_sparse_quickly<T, std::int32_t>;
                                });
}

const char* skip_quickly(const char* p, const char* row_end) noexcept {
  if (*p == '"') {
    p = plain_text_end(p + 1, row_end);
    return p == nullptr ? nullptr : p + 1;
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    if (std::string_view(p, word.size()) == word) return p + word.size();
  }
  return number_end(p);
}

}  // namespace sheaf::jsonl
