// The decoder walks a column by table rows and finds the range of values of each sequence. It
// merges adjacent ranges, and then copies or converts each merged range as a whole.

#include "arrow/arrow_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sheaf/dtype.h"
#include "sheaf/error.h"

#include "arrow/arrow_texts.h"
#include "arrow/arrow_values.h"

namespace sheaf::python {
namespace {

using Range = ArrowRange;

[[noreturn]] void refuse(const ArrowLocation& location, std::int64_t row, const char* code,
                         std::string expected, std::string found, std::string hint = {}) {
  Diagnostic wrong{.path = location.path,
                   .byte_offset = Diagnostic::kNoOffset,
                   .sequence_key = location.keys.name(row),
                   .stream = location.column,
                   .code = code,
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .hint = std::move(hint)};
  throw DataError({std::move(wrong)});
}

/// Calls f with a value of the C++ type of a stream's values.
template <typename F>
void with_element_type(ElementType type, F&& f) {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return f(std::uint8_t{});
    case ElementType::u16:
      return f(std::uint16_t{});
    case ElementType::i32:
      return f(std::int32_t{});
    case ElementType::i64:
      return f(std::int64_t{});
    case ElementType::f16:
      return f(Float16{});
    case ElementType::bf16:
      return f(BFloat16{});
    case ElementType::f32:
      return f(float{});
    case ElementType::f64:
      return f(double{});
  }
}

/// Decodes one column.
class Decoder {
 public:
  Decoder(const ArrowColumnType& type, const Stream& stream, const ArrowLocation& location)
      : type_(type),
        stream_(stream),
        location_(location),
        is_variable_(!stream.sample_shape.is_fixed()),
        size_(is_variable_ ? 1 : stream.sample_shape.size()) {}

  Column decode(const ArrowArray& array, const ArrowRows& rows) {
    column_.sequence_offsets.push_back<std::int64_t>(0);
    if (has_sample_offsets()) column_.sample_offsets.push_back<std::int64_t>(0);
    const bool has_nulls = may_have_nulls(array);
    for (row_ = 0; row_ < rows.count; ++row_) {
      const std::int64_t i = rows.first + row_;
      if (has_nulls && is_null(array, i)) {
        note_absent(rows.count);
      } else if (type_.has_sequence_lists()) {
        add_samples(*array.children[0], item_range(array, type_.large_lists[0], i));
      } else {
        add_samples(array, {i, i + 1});
      }
      column_.sequence_offsets.push_back(samples_);
    }
    if (type_.is_bytes()) return std::move(column_);
    const ArrowArray* leaf = &array;
    while (leaf->n_children == 1) leaf = leaf->children[0];
    if (type_.has_fixed_binaries) {
      // The offset of the array counts binaries, and its values are bytes.
      ArrowArray bytes = *leaf;
      bytes.offset = 0;
      copy_values(bytes);
    } else if (type_.is_sparse) {
      for (Range& range : ranges_) range = {range.begin + leaf->offset, range.end + leaf->offset};
      copy_indices(*leaf->children[0]);
      copy_values(*leaf->children[1]);
    } else {
      copy_values(*leaf);
    }
    return std::move(column_);
  }

 private:
  [[nodiscard]] bool has_sample_offsets() const noexcept { return type_.is_sparse || is_variable_; }

  void note_absent(std::int64_t row_count) {
    if (column_.presence.empty()) {
      column_.presence.resize(row_count);
      std::memset(column_.presence.mutable_data(), 1, static_cast<std::size_t>(row_count));
    }
    column_.presence.mutable_data()[row_] = std::byte{0};
  }

  void check_whole(const ArrowArray& array, const Range& range) const {
    if (has_null(array, range)) refuse(location_, row_, "arrow-null", "a value", "a null");
  }

  // Adds the samples in a range of `array`. The elements of `array` are samples if each sample has
  // a list of its own, and values otherwise.
  void add_samples(const ArrowArray& array, Range range) {
    check_whole(array, range);
    if (type_.is_bytes()) {
      const ArrowArray* texts = &array;
      if (type_.bytes_child >= 0) {
        // The offset of a struct array applies to its children, too.
        range = {range.begin + array.offset, range.end + array.offset};
        texts = array.children[type_.bytes_child];
        check_whole(*texts, range);
      }
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        add_bytes(text_at(type_.text_format, *texts, i));
      }
      return;
    }
    if (type_.has_sample_lists()) {
      const bool is_large = type_.large_lists.back();
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        add_listed_sample(*array.children[0], item_range(array, is_large, i));
      }
      return;
    }
    const ArrowArray* values = &array;
    for (const std::int64_t extent : type_.extents) {
      range = {(range.begin + values->offset) * extent, (range.end + values->offset) * extent};
      if (values->n_children == 0) break;  // the bytes of binaries
      values = values->children[0];
      check_whole(*values, range);
    }
    const std::int64_t count = range.end - range.begin;
    if (count % size_ != 0 || (!type_.has_sequence_lists() && count != size_)) {
      refuse_size(count);
    }
    add(range);
    samples_ += count / size_;
  }

  void add_listed_sample(const ArrowArray& items, const Range& range) {
    check_whole(items, range);
    if (type_.is_sparse) {
      // The offset of a struct array applies to its children, too.
      const Range inner = {range.begin + items.offset, range.end + items.offset};
      check_whole(*items.children[0], inner);
      check_whole(*items.children[1], inner);
    } else if (!is_variable_ && range.end - range.begin != size_) {
      refuse_size(range.end - range.begin, "lists that differ in length need the shape *");
    }
    add(range);
    end_sample(range.end - range.begin);
  }

  void add_bytes(std::string_view bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    column_.values.resize(value_count_ + size);
    if (size > 0) {
      std::memcpy(column_.values.mutable_data() + value_count_, bytes.data(), bytes.size());
    }
    value_count_ += size;
    end_sample(size);
  }

  // Adds a sample, whose values are in the column already or in `ranges_`.
  void end_sample(std::int64_t size) {
    ++samples_;
    if (has_sample_offsets()) column_.sample_offsets.push_back(value_count_);
    if (is_variable_) column_.extents.push_back(size);
  }

  [[noreturn]] void refuse_size(std::int64_t count, std::string hint = {}) const {
    refuse(location_, row_, "arrow-shape",
           "samples of " + std::to_string(size_) + (size_ == 1 ? " value" : " values"),
           std::to_string(count), std::move(hint));
  }

  void add(const Range& range) {
    if (range.begin == range.end) return;
    value_count_ += range.end - range.begin;
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
    } else {
      ranges_.push_back(range);
    }
  }

  // Returns the table row of a value.
  [[nodiscard]] std::int64_t row_of(std::int64_t value) const {
    std::int64_t sample = value / size_;
    if (has_sample_offsets()) {
      const auto offsets = column_.sample_offsets.as<std::int64_t>();
      sample = std::ranges::upper_bound(offsets, value) - offsets.begin() - 1;
    }
    const auto offsets = column_.sequence_offsets.as<std::int64_t>();
    return std::ranges::upper_bound(offsets, sample) - offsets.begin() - 1;
  }

  // Calls f(from, to, count, number of the first value) for each range of values.
  template <typename From, typename To, typename F>
  void copy(const ArrowArray& array, Buffer& buffer, F&& f) {
    buffer.resize(value_count_ * static_cast<std::int64_t>(sizeof(To)));
    To* to = buffer.as_mutable<To>().data();
    std::int64_t done = 0;
    for (const Range& range : ranges_) {
      const From* const from =
          static_cast<const From*>(array.buffers[1]) + array.offset + range.begin;
      const std::int64_t count = range.end - range.begin;
      f(from, to + done, count, done);
      done += count;
    }
  }

  void copy_values(const ArrowArray& array) {
    with_arrow_type(type_.value_format, [&](auto from) {
      with_element_type(stream_.element_type,
                        [&](auto to) { copy_values_as<decltype(from), decltype(to)>(array); });
    });
  }

  template <typename From, typename To>
  void copy_values_as(const ArrowArray& array) {
    copy<From, To>(array, column_.values,
                   [&](const From* from, To* to, std::int64_t count, std::int64_t first) {
                     if constexpr (std::is_same_v<From, To>) {
                       std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(To));
                     } else {
                       for (std::int64_t i = 0; i < count; ++i) {
                         if (!convert_value(from[i], to[i])) [[unlikely]] {
                           refuse_value<To>(first + i, arithmetic(from[i]));
                         }
                       }
                     }
                   });
  }

  template <typename To, typename Number>
  [[noreturn]] void refuse_value(std::int64_t value, Number found) const {
    const std::string type(dtype_word(stream_.element_type));
    const bool is_inexact = std::is_integral_v<Number> && !std::is_integral_v<To>;
    refuse(location_, row_of(value), is_inexact ? "arrow-inexact" : "arrow-range",
           is_inexact ? "a whole number that " + type + " holds exactly"
                      : (std::string(type[0] == 'i' ? "an " : "a ") + type + " value"),
           std::to_string(found));
  }

  void copy_indices(const ArrowArray& array) {
    with_whole_type(type_.index_format, [&](auto from) {
      if (stream_.index_type == ElementType::i64) {
        copy_indices_as<decltype(from), std::int64_t>(array);
      } else {
        copy_indices_as<decltype(from), std::int32_t>(array);
      }
    });
  }

  template <typename From, typename To>
  void copy_indices_as(const ArrowArray& array) {
    const auto dim = static_cast<std::uint64_t>(size_of_index<To>());
    copy<From, To>(array, column_.indices,
                   [&](const From* from, To* to, std::int64_t count, std::int64_t first) {
                     for (std::int64_t i = 0; i < count; ++i) {
                       const bool is_good =
                           from[i] >= From{} && static_cast<std::uint64_t>(from[i]) < dim;
                       if (!is_good) refuse_index(first + i, std::to_string(from[i]));
                       to[i] = static_cast<To>(from[i]);
                     }
                   });
  }

  template <typename To>
  [[nodiscard]] std::int64_t size_of_index() const {
    return std::min<std::int64_t>(size_, std::numeric_limits<To>::max());
  }

  [[noreturn]] void refuse_index(std::int64_t value, std::string found) const {
    refuse(location_, row_of(value), "arrow-index",
           "an index from 0 to " + std::to_string(size_ - 1), std::move(found));
  }

  const ArrowColumnType& type_;
  const Stream& stream_;
  const ArrowLocation& location_;
  bool is_variable_;   // whether the shape of a sample is [*]
  std::int64_t size_;  // values of a sample of fixed shape, or the bound of sparse indices
  std::int64_t row_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t value_count_ = 0;
  std::vector<Range> ranges_;  // ranges of values in the innermost array
  Column column_;
};

}  // namespace

void check_stream(const ArrowColumnType& type, const Stream& stream) {
  const auto refuse_column = [&type](const char* why) {
    throw ConfigError("column \"" + type.name + "\": " + why);
  };
  if (type.is_sparse && stream.storage != Storage::sparse) {
    refuse_column("it is sparse, and the stream dense");
  }
  if (!type.is_sparse && stream.storage == Storage::sparse) {
    refuse_column("it is dense, and the stream sparse");
  }
  const bool wants_bytes = stream.element_type == ElementType::bytes;
  if (type.is_bytes() && !wants_bytes) refuse_column("it has texts or binaries, and no numbers");
  if (wants_bytes && !type.is_bytes()) refuse_column("it has numbers, and no texts or binaries");
  if (stream.sample_shape.is_fixed() || wants_bytes) return;
  if (type.is_sparse || !type.has_sample_lists() || stream.sample_shape.rank() != 1) {
    refuse_column("only lists of lists of numbers are samples of the shape [*]");
  }
}

Column arrow_column(const ArrowColumnType& type, const ArrowArray& array, const ArrowRows& rows,
                    const Stream& stream, const ArrowLocation& location) {
  return Decoder(type, stream, location).decode(array, rows);
}

std::int64_t first_sample_size(const ArrowColumnType& type, const ArrowArray& array,
                               const ArrowRows& rows) {
  for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
    if (may_have_nulls(array) && is_null(array, i)) continue;
    const Range samples = item_range(array, type.large_lists[0], i);
    if (samples.begin == samples.end) continue;
    const Range values = item_range(*array.children[0], type.large_lists[1], samples.begin);
    return values.end - values.begin;
  }
  return 0;
}

}  // namespace sheaf::python
