#include "format/arrow/concatenation.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/bit_copy.h"
#include "format/arrow/offset_checks.h"

namespace sheaf::arrow {
namespace {

const std::byte* buffer_of(const ArrayHead& head, std::size_t number) {
  return static_cast<const std::byte*>(head.array->buffers[number]);
}

class Concatenation {
 public:
  Concatenation(const IpcField& field, std::span<const ArrayHead> arrays)
      : field_(field), arrays_(arrays) {}

  ArrowNode run() {
    for (const ArrayHead& head : arrays_) add_counts(head);
    const Layout layout = field_.layout;
    if (layout.kind != LayoutKind::nulls) to_.buffers = {validity()};
    switch (layout.kind) {
      case LayoutKind::bits:
        to_.buffers.push_back(bits(1));
        break;
      case LayoutKind::fixed:
        to_.buffers.push_back(values(1, layout.width));
        break;
      case LayoutKind::texts:
        join_texts();
        break;
      case LayoutKind::views:
        join_views();
        break;
      case LayoutKind::lists:
        join_lists();
        break;
      case LayoutKind::list_views:
        join_list_views();
        break;
      case LayoutKind::fixed_lists:
        join_children(layout.width);
        break;
      case LayoutKind::structs:
        join_children(1);
        break;
      default:
        break;
    }
    return std::move(to_);
  }

 private:
  // The number of nulls in a part of an array is unknown.
  void add_counts(const ArrayHead& head) {
    to_.length += head.length;
    if (head.length == 0 || to_.null_count < 0) return;
    const bool is_known = head.array->null_count == 0 || head.length == head.array->length;
    to_.null_count = is_known ? to_.null_count + head.array->null_count : -1;
  }

  std::byte* owned(std::int64_t size) {
    auto buffer = std::make_shared<Buffer>(Buffer::zeros(std::max<std::int64_t>(size, 1)));
    std::byte* const bytes = buffer->mutable_data();
    to_.owned.push_back(std::move(buffer));
    return bytes;
  }

  const void* validity() {
    const bool has_any = std::any_of(arrays_.begin(), arrays_.end(), [](const ArrayHead& head) {
      return head.array->buffers[0] != nullptr;
    });
    return has_any ? bits(0) : nullptr;
  }

  // An array without the buffer counts as having only ones.
  const void* bits(std::size_t number) {
    std::byte* const to = owned(bytes_of_bits(to_.length));
    std::int64_t done = 0;
    for (const ArrayHead& head : arrays_) {
      const std::byte* const from = buffer_of(head, number);
      if (from == nullptr) {
        set_bits(to, done, head.length);
      } else {
        copy_bits(from, 0, head.length, to, done);
      }
      done += head.length;
    }
    return to;
  }

  std::byte* values(std::size_t number, std::int64_t width) {
    std::byte* const to = owned(to_.length * width);
    std::int64_t done = 0;
    for (const ArrayHead& head : arrays_) {
      append(to, done, buffer_of(head, number), head.length * width);
    }
    return to;
  }

  static void append(std::byte* to, std::int64_t& done, const std::byte* from, std::int64_t size) {
    if (size > 0) std::memcpy(to + done, from, static_cast<std::size_t>(size));
    done += size;
  }

  // Returns the range of values that an array's offsets cover.
  [[nodiscard]] ValueRange covered(const ArrayHead& head) const {
    const std::byte* const offsets = buffer_of(head, 1);
    const std::int64_t width = field_.layout.width;
    return {.begin = offset_at(offsets, width, 0), .end = offset_at(offsets, width, head.length)};
  }

  // Returns the offsets of all arrays. Adds an array's number in `bases` to each of its offsets.
  std::byte* joined_offsets(std::span<const std::int64_t> bases) {
    const std::int64_t width = field_.layout.width;
    std::byte* const to = owned((to_.length + 1) * width);
    std::int64_t done = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      check_offset(bases[i] + covered(arrays_[i]).end);
      move_offsets(buffer_of(arrays_[i], 1), width, arrays_[i].length + 1, -bases[i],
                   to + done * width);
      done += arrays_[i].length;
    }
    return to;
  }

  void check_offset(std::int64_t offset) const {
    if (field_.layout.width == 8 || offset <= std::numeric_limits<std::int32_t>::max()) return;
    throw DataError({{.byte_offset = Diagnostic::kNoOffset,
                      .code = std::string(kDictionary.code),
                      .expected = "values that offsets of 32 bits can count",
                      .found = formatted("{} values in {}", offset, quoted(field_.path))}});
  }

  void join_texts() {
    std::vector<std::int64_t> bases;
    std::int64_t size = 0;
    for (const ArrayHead& head : arrays_) {
      const ValueRange range = covered(head);
      bases.push_back(size - range.begin);
      size += range.size();
    }
    to_.buffers.push_back(joined_offsets(bases));
    std::byte* const bytes = owned(size);
    std::int64_t done = 0;
    for (const ArrayHead& head : arrays_) {
      const ValueRange range = covered(head);
      append(bytes, done, buffer_of(head, 2) + range.begin, range.size());
    }
    to_.buffers.push_back(bytes);
  }

  void join_lists() {
    const std::vector<std::int64_t> bases = child_bases();
    to_.buffers.push_back(joined_offsets(bases));
    join_whole_child();
  }

  // Returns where the values of each array begin in the result.
  [[nodiscard]] std::vector<std::int64_t> child_bases() const {
    std::vector<std::int64_t> bases;
    std::int64_t base = 0;
    for (const ArrayHead& head : arrays_) {
      bases.push_back(base);
      base += head.array->children.front().length;
    }
    return bases;
  }

  void join_whole_child() {
    std::vector<ArrayHead> heads;
    for (const ArrayHead& head : arrays_) {
      const ArrowNode& child = head.array->children.front();
      heads.push_back({.array = &child, .length = child.length});
    }
    to_.children.push_back(concatenated(field_.children.front(), heads));
  }

  // A list with wrong offsets stays wrong.
  void join_list_views() {
    const std::int64_t width = field_.layout.width;
    const std::vector<std::int64_t> bases = child_bases();
    std::byte* const sizes = values(2, width);
    std::byte* const offsets = owned(to_.length * width);
    std::int64_t done = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const std::int64_t limit = arrays_[i].array->children.front().length;
      for (std::int64_t row = 0; row < arrays_[i].length; ++row, ++done) {
        std::int64_t offset = offset_at(buffer_of(arrays_[i], 1), width, row);
        const std::int64_t size = offset_at(sizes, width, done);
        const bool is_right = offset >= 0 && size >= 0 && offset <= limit && size <= limit - offset;
        offset = is_right ? offset + bases[i] : -1;
        check_offset(offset);
        std::memcpy(offsets + done * width, &offset, static_cast<std::size_t>(width));
      }
    }
    to_.buffers.push_back(offsets);
    to_.buffers.push_back(sizes);
    join_whole_child();
  }

  // A view that names no buffer of its array keeps naming none.
  void join_views() {
    std::byte* const views = values(1, kViewBytes);
    to_.buffers.push_back(views);
    std::vector<const void*> sizes;
    std::int64_t size_count = 0;
    std::byte* view = views;
    for (const ArrayHead& head : arrays_) {
      const std::vector<const void*>& buffers = head.array->buffers;
      const auto own = std::ssize(buffers) - 3;
      for (std::int64_t row = 0; row < head.length; ++row, view += kViewBytes) {
        if (internal::load<std::int32_t>(view) <= 12) continue;
        auto buffer = internal::load<std::int32_t>(view, 2);
        const bool is_right = buffer >= 0 && buffer < own;
        buffer = is_right ? static_cast<std::int32_t>(buffer + size_count) : -1;
        std::memcpy(view + 8, &buffer, sizeof buffer);
      }
      to_.buffers.insert(to_.buffers.end(), buffers.begin() + 2, buffers.end() - 1);
      to_.owned.insert(to_.owned.end(), head.array->owned.begin(), head.array->owned.end());
      sizes.push_back(buffers.back());
      size_count += own;
    }
    std::byte* const all_sizes = owned(size_count * 8);
    std::int64_t done = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      append(all_sizes, done, static_cast<const std::byte*>(sizes[i]),
             (std::ssize(arrays_[i].array->buffers) - 3) * 8);
    }
    to_.buffers.push_back(all_sizes);
  }

  // `width` is the number of a child's values for each value of the array.
  void join_children(std::int64_t width) {
    for (std::size_t i = 0; i < field_.children.size(); ++i) {
      std::vector<ArrayHead> heads;
      for (const ArrayHead& head : arrays_) {
        heads.push_back({.array = &head.array->children[i], .length = head.length * width});
      }
      to_.children.push_back(concatenated(field_.children[i], heads));
    }
  }

  const IpcField& field_;
  const std::span<const ArrayHead> arrays_;
  ArrowNode to_;
};

}  // namespace

bool can_concatenate(const IpcField& field) noexcept {
  const LayoutKind kind = field.layout.kind;
  return !field.dictionary && kind != LayoutKind::sparse_union && kind != LayoutKind::dense_union &&
         kind != LayoutKind::run_ends &&
         std::all_of(field.children.begin(), field.children.end(), can_concatenate);
}

ArrowNode concatenated(const IpcField& field, std::span<const ArrayHead> arrays) {
  return Concatenation(field, arrays).run();
}

}  // namespace sheaf::arrow
