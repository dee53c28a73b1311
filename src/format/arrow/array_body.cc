#include "format/arrow/array_body.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/arrow/arrow_layout.h"
#include "format/arrow/bit_copy.h"
#include "format/arrow/ipc_numbers.h"

namespace sheaf::arrow {
namespace {

void append_pair(std::string& pairs, std::int64_t first, std::int64_t second) {
  const std::int64_t pair[] = {first, second};
  pairs.append(reinterpret_cast<const char*>(pair), sizeof pair);
}

// Returns how many of the bits are zeros, given that the bits after the last one are zeros.
std::int64_t zeros_in(const std::byte* bits, std::int64_t count) noexcept {
  std::int64_t ones = 0;
  for (std::int64_t i = 0; i < bytes_of_bits(count); ++i) {
    ones += __builtin_popcount(std::to_integer<unsigned>(bits[i]));
  }
  return count - ones;
}

const std::byte* bytes_at(const ArrowNode& node, std::size_t buffer) {
  return static_cast<const std::byte*>(node.buffers[buffer]);
}

}  // namespace

ArrayBody::ArrayBody(const ArrowNode& rows) : row_count_(rows.length) {
  for (const ArrowNode& column : rows.children) {
    add(column, {.begin = rows.offset, .end = rows.offset + rows.length});
  }
}

FlatDraft ArrayBody::draft() const {
  FlatDraft batch;
  batch.number<std::int64_t>(kBatchRows, row_count_);
  batch.vector(kBatchNodes, nodes_, node_count_, 8);
  batch.vector(kBatchBuffers, locations_, std::ssize(buffers_), 8);
  return batch;
}

// `values` is the part of the array that its parent needs.
void ArrayBody::add(const ArrowNode& node, ValueRange values) {
  values = {.begin = values.begin + node.offset, .end = values.end + node.offset};
  const Layout layout = layout_of(node.format).value_or(Layout{});
  switch (layout.kind) {
    case LayoutKind::nulls:
      append_pair(nodes_, values.size(), values.size());
      ++node_count_;
      break;
    case LayoutKind::bits:
      add_validity(node, values);
      add_buffer(copied_bits(node.buffers[1], values), bytes_of_bits(values.size()));
      break;
    case LayoutKind::fixed:
      add_validity(node, values);
      add_fixed(node, values, layout.width);
      break;
    case LayoutKind::texts: {
      add_validity(node, values);
      const ValueRange bytes = add_offsets(node, values, layout.width);
      add_buffer(bytes.size() > 0 ? bytes_at(node, 2) + bytes.begin : nullptr, bytes.size());
      break;
    }
    case LayoutKind::lists:
      add_validity(node, values);
      add(node.children.front(), add_offsets(node, values, layout.width));
      break;
    case LayoutKind::fixed_lists:
      add_validity(node, values);
      add(node.children.front(),
          {.begin = values.begin * layout.width, .end = values.end * layout.width});
      break;
    case LayoutKind::structs:
      add_validity(node, values);
      for (const ArrowNode& child : node.children) add(child, values);
      break;
    default:
      throw InternalError(
          formatted("an Arrow array of type \"{}\" cannot be written", node.format));
  }
}

// The validity buffer is left out if there are no nulls.
void ArrayBody::add_validity(const ArrowNode& node, ValueRange values) {
  ++node_count_;
  std::int64_t null_count = 0;
  const std::byte* bits = nullptr;
  if (node.buffers.front() != nullptr) {
    bits = copied_bits(node.buffers.front(), values);
    null_count = zeros_in(bits, values.size());
  }
  add_buffer(bits, null_count > 0 ? bytes_of_bits(values.size()) : 0);
  append_pair(nodes_, values.size(), null_count);
}

// Clears the bits after the last one, so that the same arrays give the same bytes.
const std::byte* ArrayBody::copied_bits(const void* bits, ValueRange values) {
  const std::int64_t size = bytes_of_bits(values.size());
  std::byte* const copy = owned(size);
  if (size > 0) {
    copy[size - 1] = std::byte{0};
    copy_bits(static_cast<const std::byte*>(bits), values.begin, values.size(), copy, 0);
  }
  return copy;
}

void ArrayBody::add_fixed(const ArrowNode& node, ValueRange values, std::int64_t width) {
  const std::int64_t size = values.size() * width;
  add_buffer(size > 0 ? bytes_at(node, 1) + values.begin * width : nullptr, size);
}

// Returns the values that the offsets cover.
ValueRange ArrayBody::add_offsets(const ArrowNode& node, ValueRange values, std::int64_t width) {
  const std::int64_t size = (values.size() + 1) * width;
  std::byte* const moved = owned(size);
  ValueRange covered;
  if (values.size() == 0) {
    // An array without values may lack its single offset.
    std::fill(moved, moved + size, std::byte{0});
  } else {
    const std::byte* const offsets = bytes_at(node, 1) + values.begin * width;
    covered = {.begin = offset_at(offsets, width, 0),
               .end = offset_at(offsets, width, values.size())};
    move_offsets(offsets, width, values.size() + 1, covered.begin, moved);
  }
  add_buffer(moved, size);
  return covered;
}

void ArrayBody::add_buffer(const std::byte* data, std::int64_t size) {
  append_pair(locations_, size_bytes_, size);
  buffers_.emplace_back(data, static_cast<std::size_t>(size));
  size_bytes_ += (size + kAlignment - 1) / kAlignment * kAlignment;
}

std::byte* ArrayBody::owned(std::int64_t size) {
  Buffer buffer;
  buffer.resize(size);
  owned_.push_back(std::move(buffer));
  return owned_.back().mutable_data();
}

}  // namespace sheaf::arrow
