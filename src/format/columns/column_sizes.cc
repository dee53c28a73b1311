#include "format/columns/column_sizes.h"

#include <algorithm>
#include <optional>

#include "format/columns/arrow_values.h"
#include "format/columns/text_values.h"

namespace sheaf::columns {
namespace {

using Kind = ColumnType::Kind;

constexpr std::int64_t kNumberSize = sizeof(std::int64_t);
constexpr std::int64_t kBufferSlack = 512;  // the rounding of a column's buffers

// Returns whether the range lies within the items. Otherwise the row is wrong.
bool is_inside(const ArrowRange& range, const ArrowArray& items) noexcept {
  return range.begin >= 0 && range.begin <= range.end && range.end <= items.length;
}

/// Counts the samples and values of rows.
class Counter {
 public:
  Counter(const StreamColumn& column, const ColumnRows& rows)
      : column_(column), type_(column.type), array_(*rows.array) {
    const ArrowArray* at = rows.array;
    for (std::size_t i = 0; i < type_.large_lists.size() + type_.fixed_lists.size(); ++i) {
      at = at->children[0];
    }
    samples_ = at;
    if (type_.kind != Kind::bytes) return;
    if (type_.bytes_child >= 0) at = at->children[type_.bytes_child];
    texts_.emplace(type_.text_format, *at);
    text_count_ = at->length;
  }

  [[nodiscard]] std::int64_t value_count() const noexcept { return value_count_; }

  // Returns the number of samples of a row.
  std::int64_t count(std::int64_t i) {
    if (may_have_nulls(array_) && is_null(array_, i)) return 0;
    if (!column_.has_sequence_lists()) {
      count_values(array_, {i, i + 1});
      return 1;
    }
    const ArrowArray& items = *array_.children[0];
    const ArrowRange range = item_range(array_, type_.large_lists[0], i);
    if (!is_inside(range, items)) return 0;
    count_values(items, range);
    const std::int64_t samples = range.end - range.begin;
    if (column_.has_sample_lists() || type_.kind == Kind::sparse || type_.kind == Kind::bytes) {
      return samples;
    }
    return samples * type_.values_per_element() / column_.stream.sample_shape.size();
  }

 private:
  // Adds the values of samples of different sizes.
  void count_values(const ArrowArray& array, const ArrowRange& range) {
    if (!column_.has_sample_offsets() || range.begin == range.end) return;
    if (type_.kind == Kind::bytes) {
      const std::int64_t shift = type_.bytes_child >= 0 ? array.offset : 0;
      for (std::int64_t i = range.begin + shift; i < range.end + shift; ++i) {
        if (i < text_count_) value_count_ += texts_->size(i).value_or(0);
      }
      return;
    }
    const bool is_inner = type_.kind == Kind::sparse && type_.has_lists_inside;
    const ArrowArray& lists = is_inner ? *samples_->children[type_.indices_child] : array;
    const bool is_large = is_inner ? type_.are_indices_large : type_.large_lists.back();
    const std::int64_t shift = is_inner ? array.offset : 0;
    const std::int64_t last = range.end - 1 + shift;
    if (is_inner && last >= lists.length) return;
    const ArrowRange values = {item_range(lists, is_large, range.begin + shift).begin,
                               item_range(lists, is_large, last).end};
    if (is_inside(values, *lists.children[0])) value_count_ += values.end - values.begin;
  }

  const StreamColumn& column_;
  const ColumnType& type_;
  const ArrowArray& array_;
  const ArrowArray* samples_ = nullptr;  // the innermost samples
  std::optional<TextValues> texts_;
  std::int64_t text_count_ = 0;
  std::int64_t value_count_ = 0;
};

std::int64_t decoded_size(const StreamColumn& column, std::int64_t rows, std::int64_t samples,
                          std::int64_t values) {
  const Stream& stream = column.stream;
  const std::int64_t value_size =
      element_size(stream.element_type) +
      (stream.storage == Storage::sparse ? element_size(stream.index_type) : 0);
  // A borrowed column also keeps the offsets of the array, which adds a number for each row.
  // Buffers of unknown size grow by half.
  const std::int64_t size =
      values * value_size + 2 * (rows + 1) * kNumberSize + rows + kBufferSlack;
  return column.has_sample_offsets() ? size + 4 * samples * kNumberSize : size;
}

}  // namespace

bool has_equal_rows(const StreamColumn& column) noexcept {
  return !column.has_sequence_lists() && !column.has_sample_offsets();
}

ColumnSizes sizes_of_equal_rows(const StreamColumn& column, std::int64_t count) {
  return {.sample_counts = std::vector<std::int64_t>(static_cast<std::size_t>(count), 1),
          .decoded_size_bytes =
              decoded_size(column, count, count, count * column.stream.sample_shape.size())};
}

ColumnSizes column_sizes(const StreamColumn& column, const ColumnRows& rows) {
  ColumnSizes sizes;
  sizes.sample_counts.reserve(static_cast<std::size_t>(rows.count));
  Counter counter(column, rows);
  std::int64_t samples = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    sizes.sample_counts.push_back(counter.count(rows.first + row));
    samples += sizes.sample_counts.back();
  }
  const std::int64_t values = column.has_sample_offsets()
                                  ? counter.value_count()
                                  : samples * column.stream.sample_shape.size();
  sizes.decoded_size_bytes = decoded_size(column, rows.count, samples, values);
  return sizes;
}

}  // namespace sheaf::columns
