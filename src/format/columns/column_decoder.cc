// The decoder walks a column row by row, down to where the values of each sequence begin and end.
// Adjacent stretches of values are joined. A single stretch of the right type is borrowed. Other
// stretches are copied or converted.

#include "format/columns/column_decoder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sheaf/dtype.h"

#include "base/text.h"
#include "format/columns/arrow_values.h"
#include "format/columns/column_errors.h"
#include "format/columns/text_values.h"

namespace sheaf::columns {
namespace {

using Kind = ColumnType::Kind;

/// Stretches of consecutive elements of one array.
class Stretches {
 public:
  struct Mark {
    std::size_t count = 0;
    std::int64_t last_end = 0;
  };

  void add(const ArrowRange& range) {
    if (range.begin == range.end) return;
    if (!ranges_.empty() && ranges_.back().end == range.begin) {
      ranges_.back().end = range.end;
    } else {
      ranges_.push_back(range);
    }
  }

  [[nodiscard]] Mark mark() const noexcept {
    return {ranges_.size(), ranges_.empty() ? 0 : ranges_.back().end};
  }
  void cut(const Mark& mark) {
    ranges_.resize(mark.count);
    if (!ranges_.empty()) ranges_.back().end = mark.last_end;
  }

  [[nodiscard]] std::span<const ArrowRange> ranges() const noexcept { return ranges_; }

 private:
  std::vector<ArrowRange> ranges_;
};

bool is_within(const ArrowRange& range, std::int64_t length) noexcept {
  return range.begin >= 0 && range.begin <= range.end && range.end <= length;
}

template <typename T>
bool is_aligned(const void* entry) noexcept {
  return reinterpret_cast<std::uintptr_t>(entry) % alignof(T) == 0;
}

Buffer borrowed(const void* begin, std::int64_t size_bytes, std::shared_ptr<const void> owner) {
  return Buffer::borrow(
      {static_cast<const std::byte*>(begin), static_cast<std::size_t>(size_bytes)},
      std::move(owner));
}

constexpr std::int64_t kBlock = 512;  // numbers to convert at a time

bool is_floating_format(char format) noexcept {
  return format == 'e' || format == 'f' || format == 'g';
}

/// Returns whether values of a format have the memory layout of T.
template <typename T>
bool is_format_of(char format) noexcept {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return format == 'C' || format == 'w';
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return format == 'S';
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return format == 'i';
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return format == 'l';
  } else if constexpr (std::is_same_v<T, Float16>) {
    return format == 'e';
  } else if constexpr (std::is_same_v<T, float>) {
    return format == 'f';
  } else if constexpr (std::is_same_v<T, double>) {
    return format == 'g';
  }
  return false;
}

template <typename From, typename Wide>
void widen_as(const void* values, std::int64_t first, std::int64_t count, Wide* to) noexcept {
  const From* const from = static_cast<const From*>(values) + first;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<Wide>(arithmetic(from[i]));  // NOLINT(bugprone-signed-char-misuse): numbers
  }
}

// Converts whole numbers. A uint64 above the largest int64 becomes -1, which is neither an index
// nor a class.
void widen(const ArrowArray& array, char format, std::int64_t width, std::int64_t first,
           std::int64_t count, std::int64_t* to) noexcept {
  const void* const values = array.buffers[1];
  first += array.offset * width;
  switch (format) {
    case 'c':
      return widen_as<std::int8_t>(values, first, count, to);
    case 'C':
    case 'w':
      return widen_as<std::uint8_t>(values, first, count, to);
    case 's':
      return widen_as<std::int16_t>(values, first, count, to);
    case 'S':
      return widen_as<std::uint16_t>(values, first, count, to);
    case 'i':
      return widen_as<std::int32_t>(values, first, count, to);
    case 'I':
      return widen_as<std::uint32_t>(values, first, count, to);
    case 'l':
      return widen_as<std::int64_t>(values, first, count, to);
    default: {
      const auto* const from = static_cast<const std::uint64_t*>(values) + first;
      for (std::int64_t i = 0; i < count; ++i) {
        to[i] = std::in_range<std::int64_t>(from[i]) ? static_cast<std::int64_t>(from[i]) : -1;
      }
    }
  }
}

void widen(const ArrowArray& array, char /*format*/, std::int64_t width, std::int64_t first,
           std::int64_t count, std::uint64_t* to) noexcept {
  widen_as<std::uint64_t>(array.buffers[1], first + array.offset * width, count, to);
}

void widen(const ArrowArray& array, char format, std::int64_t width, std::int64_t first,
           std::int64_t count, double* to) noexcept {
  first += array.offset * width;
  if (format == 'e') return widen_as<Float16>(array.buffers[1], first, count, to);
  if (format == 'f') return widen_as<float>(array.buffers[1], first, count, to);
  widen_as<double>(array.buffers[1], first, count, to);
}

std::string number_text(char format, std::int64_t number) {
  if (format == 'L' && number < 0) return "a number above 9223372036854775807";
  return formatted("{}", number);
}

/// Decodes one column.
class Decoder {
 public:
  Decoder(const StreamColumn& column, const ColumnRows& rows, std::vector<WrongRow>& wrong)
      : column_(column),
        type_(column.type),
        stream_(column.stream),
        rows_(rows),
        wrong_(wrong),
        size_(stream_.sample_shape.is_fixed() ? stream_.sample_shape.size() : 0) {}

  Column decode(std::span<const std::int64_t> holes) {
    result_.sequence_offsets.reserve((rows_.count + 1) * std::int64_t{sizeof(std::int64_t)});
    result_.sequence_offsets.push_back<std::int64_t>(0);
    if (column_.has_sample_offsets()) result_.sample_offsets.push_back<std::int64_t>(0);
    find_leaf();
    auto hole = holes.begin();
    for (row_ = 0; row_ < rows_.count; ++row_) {
      if (hole != holes.end() && *hole == row_) {
        ++hole;
      } else {
        add_row(rows_.first + row_);
      }
      result_.sequence_offsets.push_back(samples_);
    }
    if (type_.kind == Kind::sparse) copy_indices();
    if (type_.kind == Kind::bytes) {
      copy_bytes();
    } else {
      copy_values();
    }
    const bool all_have_one = !column_.has_sequence_lists() && samples_ == rows_.count;
    if (all_have_one) result_.sequence_offsets = {};
    std::ranges::stable_sort(wrong_, {}, &WrongRow::row);
    const auto are_of_one_row = [](const WrongRow& one, const WrongRow& other) {
      return one.row == other.row;
    };
    wrong_.erase(std::unique(wrong_.begin(), wrong_.end(), are_of_one_row), wrong_.end());
    return std::move(result_);
  }

 private:
  // Finds the array of the samples or pairs, and the arrays of the values and indices.
  void find_leaf() {
    const ArrowArray* at = rows_.array;
    for (std::size_t i = 0; i < type_.large_lists.size() + type_.fixed_lists.size(); ++i) {
      at = at->children[0];
    }
    if (type_.kind == Kind::sparse) {
      entries_ = at;
      indices_ = at->children[type_.indices_child];
      values_ = at->children[type_.values_child];
      if (type_.has_lists_inside) {
        index_lists_ = std::exchange(indices_, indices_->children[0]);
        value_lists_ = std::exchange(values_, values_->children[0]);
      }
    } else if (type_.kind == Kind::bytes && type_.bytes_child >= 0) {
      entries_ = at;
      values_ = at->children[type_.bytes_child];
    } else {
      values_ = at;
    }
    if (type_.kind == Kind::bytes) texts_.emplace(type_.text_format, *values_);
  }

  void fail(std::string_view code, std::string expected, std::string found) {
    wrong_.push_back(
        {.row = row_, .code = code, .expected = std::move(expected), .found = std::move(found)});
  }
  void fail(const ErrorKind& kind, std::string found) {
    fail(kind.code, std::string(kind.expected), std::move(found));
  }

  // Adds a row. Adds an empty sequence if the row is null or wrong.
  void add_row(std::int64_t i) {
    const ArrowArray& array = *rows_.array;
    if (may_have_nulls(array) && is_null(array, i)) {
      note_absent();
      return;
    }
    const Stretches::Mark values = value_stretches_.mark();
    const Stretches::Mark indices = index_stretches_.mark();
    const std::size_t texts = pieces_.size();
    const std::size_t last_text = pieces_.empty() ? 0 : pieces_.back().size();
    const std::int64_t samples = samples_;
    const std::int64_t value_count = value_count_;
    if (add_sequence(array, i)) return;
    value_stretches_.cut(values);
    index_stretches_.cut(indices);
    pieces_.resize(texts);
    if (!pieces_.empty()) pieces_.back() = pieces_.back().substr(0, last_text);
    samples_ = samples;
    value_count_ = value_count;
    if (column_.has_sample_offsets()) {
      result_.sample_offsets.resize((samples + 1) * std::int64_t{sizeof(std::int64_t)});
    }
    if (!stream_.sample_shape.is_fixed()) {
      result_.extents.resize(samples * std::int64_t{sizeof(std::int64_t)});
    }
  }

  void note_absent() {
    if (result_.presence.empty()) {
      result_.presence.resize(rows_.count);
      std::memset(result_.presence.mutable_data(), 1, static_cast<std::size_t>(rows_.count));
    }
    result_.presence.mutable_data()[row_] = std::byte{0};
  }

  bool add_sequence(const ArrowArray& array, std::int64_t i) {
    if (!column_.has_sequence_lists()) return add_samples(array, {i, i + 1});
    const ArrowArray& samples = *array.children[0];
    const ArrowRange range = item_range(array, type_.large_lists[0], i);
    return is_good_range(range, samples) && add_samples(samples, range);
  }

  bool is_good_range(const ArrowRange& range, const ArrowArray& items) {
    if (!is_within(range, items.length)) {
      fail(kOffsets, formatted("{} to {}, of {} values", range.begin, range.end, items.length));
      return false;
    }
    if (has_null(items, range)) {
      fail(kNull, "a null");
      return false;
    }
    return true;
  }

  // Adds the samples in `range`, elements of `array` that are not null.
  bool add_samples(const ArrowArray& array, const ArrowRange& range) {
    if (type_.kind == Kind::sparse && type_.has_lists_inside) {
      return add_each(range, [&](std::int64_t i) { return add_pair_of_lists(array.offset + i); });
    }
    if (type_.kind == Kind::bytes) {
      return add_each(range, [&](std::int64_t i) {
        return add_text(entries_ != nullptr ? array.offset + i : i);
      });
    }
    if (!column_.has_sample_lists()) return add_fixed(array, range);
    const bool is_large = type_.large_lists.back();
    const ArrowArray& items = *array.children[0];
    return add_each(range, [&](std::int64_t i) {
      return add_listed_sample(items, item_range(array, is_large, i));
    });
  }

  template <typename F>
  bool add_each(const ArrowRange& range, F&& add) {
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      if (!add(i)) return false;
    }
    return true;
  }

  bool add_fixed(const ArrowArray& array, ArrowRange range) {
    const ArrowArray* values = &array;
    for (const std::int64_t size : type_.fixed_lists) {
      range = {(range.begin + values->offset) * size, (range.end + values->offset) * size};
      values = values->children[0];
      if (!is_good_range(range, *values)) return false;
    }
    const std::int64_t count = (range.end - range.begin) * type_.value_width;
    if (count % size_ != 0 || (!type_.has_sequence_lists() && count != size_)) {
      return fail_size(count);
    }
    value_stretches_.add(range);
    value_count_ += count;
    samples_ += count / size_;
    return true;
  }

  bool fail_size(std::int64_t count) {
    fail(kShape, formatted("samples of {} value{}", size_, size_ == 1 ? "" : "s"),
         formatted("{}", count));
    return false;
  }

  bool add_listed_sample(const ArrowArray& items, const ArrowRange& range) {
    if (!is_good_range(range, items)) return false;
    const std::int64_t count = range.end - range.begin;
    if (type_.kind == Kind::sparse) {
      const ArrowRange inner = {range.begin + items.offset, range.end + items.offset};
      if (!is_good_range(inner, *indices_) || !is_good_range(inner, *values_)) return false;
      index_stretches_.add(inner);
      value_stretches_.add(inner);
    } else {
      if (size_ > 0 && count != size_) return fail_size(count);
      value_stretches_.add(range);
    }
    end_sample(count);
    return true;
  }

  bool add_pair_of_lists(std::int64_t i) {
    for (const ArrowArray* lists : {index_lists_, value_lists_}) {
      if (!is_good_range({i, i + 1}, *lists)) return false;
    }
    const ArrowRange indices = item_range(*index_lists_, type_.are_indices_large, i);
    const ArrowRange values = item_range(*value_lists_, type_.are_values_large, i);
    if (!is_good_range(indices, *indices_) || !is_good_range(values, *values_)) return false;
    const std::int64_t count = indices.end - indices.begin;
    if (values.end - values.begin != count) {
      fail(kPair, formatted("{} indices and {} values", count, values.end - values.begin));
      return false;
    }
    index_stretches_.add(indices);
    value_stretches_.add(values);
    end_sample(count);
    return true;
  }

  bool add_text(std::int64_t i) {
    if (entries_ != nullptr && !is_good_range({i, i + 1}, *values_)) return false;
    const std::optional<std::string_view> text = texts_->text(i);
    if (!text) {
      fail(kOffsets, formatted("wrong offsets of text {}", i));
      return false;
    }
    if (!text->empty()) {
      if (!pieces_.empty() && pieces_.back().data() + pieces_.back().size() == text->data()) {
        pieces_.back() = {pieces_.back().data(), pieces_.back().size() + text->size()};
      } else {
        pieces_.push_back(*text);
      }
    }
    end_sample(static_cast<std::int64_t>(text->size()));
    return true;
  }

  void end_sample(std::int64_t value_count) {
    ++samples_;
    value_count_ += value_count;
    if (column_.has_sample_offsets()) result_.sample_offsets.push_back(value_count_);
    if (!stream_.sample_shape.is_fixed()) result_.extents.push_back(value_count);
  }

  // Returns the row of a value.
  [[nodiscard]] std::int64_t row_of(std::int64_t value) const {
    std::int64_t sample = 0;
    if (column_.has_sample_offsets()) {
      const auto offsets = result_.sample_offsets.as<std::int64_t>();
      sample = std::ranges::upper_bound(offsets, value) - offsets.begin() - 1;
    } else {
      sample = value / size_;
    }
    const auto offsets = result_.sequence_offsets.as<std::int64_t>();
    return std::ranges::upper_bound(offsets, sample) - offsets.begin() - 1;
  }

  // Notes a value that cannot be delivered.
  void fail_value(std::int64_t value, std::string_view code, std::string expected,
                  std::string found) {
    row_ = row_of(value);
    fail(code, std::move(expected), std::move(found));
  }

  void copy_bytes() {
    if (pieces_.size() == 1 && rows_.owner) {
      result_.values = borrowed(pieces_[0].data(), value_count_, rows_.owner);
      return;
    }
    result_.values.reserve(value_count_);
    result_.values.resize(value_count_);
    std::byte* to = result_.values.mutable_data();
    for (const std::string_view piece : pieces_) {
      if (piece.empty()) continue;  // its address may be null
      std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
    }
  }

  // Copies or borrows the values of all stretches.
  template <typename T>
  void copy(const ArrowArray& array, const Stretches& stretches, Buffer& buffer) {
    const auto ranges = stretches.ranges();
    const std::int64_t width = type_.value_width;
    const auto entry = [&](std::int64_t i) {
      return static_cast<const T*>(array.buffers[1]) + (array.offset + i) * width;
    };
    if (ranges.size() == 1 && rows_.owner && is_aligned<T>(entry(ranges[0].begin))) {
      const std::int64_t size_bytes = value_count_ * static_cast<std::int64_t>(sizeof(T));
      buffer = borrowed(entry(ranges[0].begin), size_bytes, rows_.owner);
      return;
    }
    T* to = room_for<T>(buffer);
    for (const ArrowRange& range : ranges) {
      const std::int64_t count = (range.end - range.begin) * width;
      if (count == 0) continue;  // there may be no buffer
      std::memcpy(to, entry(range.begin), static_cast<std::size_t>(count) * sizeof(T));
      to += count;
    }
  }

  void copy_values() {
    with_element_type(stream_.element_type, [&](auto to) {
      using To = decltype(to);
      if (type_.kind == Kind::classes) {
        copy_classes<To>();
      } else if (type_.value_format == 'b') {
        copy_bits<To>();
      } else if (is_format_of<To>(type_.value_format)) {
        copy<To>(*values_, value_stretches_, result_.values);
      } else if (type_.value_format == 'L') {
        convert_values<std::uint64_t, To>();
      } else if (is_floating_format(type_.value_format)) {
        convert_values<double, To>();
      } else {
        convert_values<std::int64_t, To>();
      }
    });
  }

  // Converts numbers through the widest type of their kind, block by block, so that not every pair
  // of types needs code of its own.
  template <typename Wide, typename To>
  void convert_values() {
    std::array<Wide, kBlock> wide{};
    To* const to = room_for<To>(result_.values);
    std::int64_t done = 0;
    for (const ArrowRange& range : value_stretches_.ranges()) {
      const ArrowRange elements = {range.begin * type_.value_width, range.end * type_.value_width};
      for (std::int64_t i = elements.begin; i < elements.end;) {
        const std::int64_t count = std::min(kBlock, elements.end - i);
        widen(*values_, type_.value_format, type_.value_width, i, count, wide.data());
        for (std::int64_t k = 0; k < count; ++k) {
          if (!convert_value(wide[static_cast<std::size_t>(k)], to[done + k])) [[unlikely]] {
            fail_number<To>(done + k, wide[static_cast<std::size_t>(k)]);
          }
        }
        i += count;
        done += count;
      }
    }
  }

  template <typename To>
  To* room_for(Buffer& buffer) const {
    const std::int64_t size_bytes = value_count_ * static_cast<std::int64_t>(sizeof(To));
    buffer.reserve(size_bytes);
    buffer.resize(size_bytes);
    return buffer.as_mutable<To>().data();
  }

  template <typename To, typename Number>
  void fail_number(std::int64_t value, Number found) {
    const std::string_view type = dtype_word(stream_.element_type);
    std::string shown = formatted("{}", found);
    if (std::is_integral_v<Number> && !std::is_integral_v<To>) {
      fail_value(value, kInexact, formatted("a whole number that {} holds exactly", type),
                 std::move(shown));
      return;
    }
    fail_value(value, kRange, formatted("{} {} value", type[0] == 'i' ? "an" : "a", type),
               std::move(shown));
  }

  template <typename To>
  void copy_bits() {
    To* to = room_for<To>(result_.values);
    const auto* const bits = static_cast<const std::uint8_t*>(values_->buffers[1]);
    for (const ArrowRange& range : value_stretches_.ranges()) {
      for (std::int64_t i = range.begin; i < range.end; ++i) {
        const auto bit = static_cast<std::uint64_t>(values_->offset + i);
        const auto value = static_cast<std::int64_t>((bits[bit / 8] >> (bit % 8)) & 1U);
        static_cast<void>(convert_value(value, *to++));
      }
    }
  }

  // Calls f(number of the value, its index) for the whole numbers of stretches.
  template <typename F>
  void for_each_whole(const ArrowArray& array, char format, const Stretches& stretches, F&& f) {
    std::array<std::int64_t, kBlock> wide{};
    std::int64_t done = 0;
    for (const ArrowRange& range : stretches.ranges()) {
      for (std::int64_t i = range.begin; i < range.end;) {
        const std::int64_t count = std::min(kBlock, range.end - i);
        widen(array, format, 1, i, count, wide.data());
        for (std::int64_t k = 0; k < count; ++k) f(done + k, wide[static_cast<std::size_t>(k)]);
        i += count;
        done += count;
      }
    }
  }

  template <typename To>
  void copy_classes() {
    const std::span<const std::int32_t> ids = column_.vocabulary->ids(rows_.batch);
    To* const to = room_for<To>(result_.values);
    for_each_whole(
        *values_, type_.value_format, value_stretches_,
        [&](std::int64_t value, std::int64_t number) {
          to[value] = To{};
          if (number < 0 || number >= static_cast<std::int64_t>(ids.size())) [[unlikely]] {
            fail_value(value, kClass, formatted("a number below {}", ids.size()),
                       number_text(type_.value_format, number));
            return;
          }
          const std::int64_t id = ids[static_cast<std::size_t>(number)];
          if (id == Vocabulary::kNull) [[unlikely]] {
            fail_value(value, kNull.code, std::string(kNull.expected), "a null in the dictionary");
          } else if (!convert_value(id, to[value])) [[unlikely]] {
            fail_number<To>(value, id);
          }
        });
  }

  void copy_indices() {
    if (stream_.index_type == ElementType::i64) {
      copy_indices_as<std::int64_t>();
    } else {
      copy_indices_as<std::int32_t>();
    }
  }

  // Checks every index. Borrows the indices if the array has the index type of the stream.
  template <typename To>
  void copy_indices_as() {
    const bool copies = !is_format_of<To>(type_.index_format);
    To* const to = copies ? room_for<To>(result_.indices) : nullptr;
    for_each_whole(*indices_, type_.index_format, index_stretches_,
                   [&](std::int64_t value, std::int64_t index) {
                     if (index < 0 || index >= size_) [[unlikely]] {
                       fail_value(value, kIndex, formatted("an index from 0 to {}", size_ - 1),
                                  number_text(type_.index_format, index));
                     }
                     if (copies) to[value] = static_cast<To>(index);
                   });
    if (!copies) copy<To>(*indices_, index_stretches_, result_.indices);
  }

  const StreamColumn& column_;
  const ColumnType& type_;
  const Stream& stream_;
  const ColumnRows& rows_;
  std::vector<WrongRow>& wrong_;
  const std::int64_t size_;  // size of a sample, or bound of indices; 0 if samples differ

  const ArrowArray* entries_ = nullptr;      // structs; null if there are none
  const ArrowArray* index_lists_ = nullptr;  // of structs of lists, as are the next ones
  const ArrowArray* value_lists_ = nullptr;
  const ArrowArray* indices_ = nullptr;
  const ArrowArray* values_ = nullptr;
  std::optional<TextValues> texts_;

  std::int64_t row_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t value_count_ = 0;
  Stretches value_stretches_;             // in values_
  Stretches index_stretches_;             // in indices_
  std::vector<std::string_view> pieces_;  // of texts
  Column result_;
};

}  // namespace

Column decode_column(const StreamColumn& column, const ColumnRows& rows,
                     std::span<const std::int64_t> holes, std::vector<WrongRow>& wrong) {
  return Decoder(column, rows, wrong).decode(holes);
}

}  // namespace sheaf::columns
