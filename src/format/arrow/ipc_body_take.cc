// Turns the bytes that were read into arrays.

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/bit_copy.h"
#include "format/arrow/ipc_body.h"

namespace sheaf::arrow {
namespace {

// Allocates memory that an array owns.
std::byte* owned_bytes(ArrowNode& node, std::int64_t size) {
  auto buffer = std::make_shared<Buffer>();
  buffer->resize(std::max<std::int64_t>(size, 1));
  std::byte* const bytes = buffer->mutable_data();
  node.owned.push_back(std::move(buffer));
  return bytes;
}

}  // namespace

void BodyReader::take(Part& part) {
  if (part.is_second_round) return take_bytes(part);
  switch (part.field->layout.kind) {
    case LayoutKind::nulls:
    case LayoutKind::run_ends:
      break;
    case LayoutKind::bits:
      part.to->buffers = {taken_bits(part, part.validity), taken_bits(part, part.values)};
      break;
    case LayoutKind::fixed:
      part.to->buffers = {taken_bits(part, part.validity), taken(part, part.values)};
      take_dictionary(part);
      break;
    case LayoutKind::texts:
      return take_texts(part);
    case LayoutKind::views:
      return take_views(part);
    case LayoutKind::lists:
      return take_lists(part);
    case LayoutKind::list_views:
      return take_list_views(part);
    case LayoutKind::fixed_lists:
    case LayoutKind::structs:
      part.to->buffers = {taken_bits(part, part.validity)};
      break;
    case LayoutKind::sparse_union:
      part.to->buffers = {taken(part, part.values)};
      break;
    case LayoutKind::dense_union:
      part.to->buffers = {taken(part, part.values), taken(part, part.sizes)};
      break;
  }
}

const std::byte* BodyReader::taken(const Part& part, std::size_t number) const {
  if (number == Part::kNone) return nullptr;
  const ReadBytes& read = reads_.read(number);
  if (read.owner) part.to->owned.push_back(read.owner);
  return read.data;
}

const std::byte* BodyReader::taken_bits(const Part& part, std::size_t number) const {
  const std::int64_t first = part.rows.begin % 8;
  if (number == Part::kNone || first == 0) return taken(part, number);
  std::byte* const bits = owned_bytes(*part.to, bytes_of_bits(part.count()));
  bits[bytes_of_bits(part.count()) - (part.count() > 0 ? 1 : 0)] = std::byte{0};
  copy_bits(reads_.read(number).data, first, part.count(), bits, 0);
  return bits;
}

void BodyReader::take_dictionary(const Part& part) {
  if (!part.field->dictionary || !options_.dictionary) return;
  const bool is_all_null = part.node.second == part.node.first;
  part.to->dictionary = {*options_.dictionary(*part.field->dictionary, is_all_null)};
}

// Checks the offsets. If only a part is read, lets the offsets begin with 0. Returns the values
// that the offsets need.
ValueRange BodyReader::take_offsets(const Part& part, std::int64_t limit) {
  const std::int64_t width = part.field->layout.width;
  const std::int64_t count = part.count();
  const std::byte* const read = reads_.read(part.values).data;
  const std::int64_t wrong = count == 0 ? -1 : first_wrong_offset(read, width, count, limit);
  if (wrong >= 0) {
    const std::int64_t at = reads_.is_compressed() ? 0 : (part.rows.begin + wrong) * width;
    fail(header_.file(), kOffsets, reads_.offset_of(header_.buffer(*part.field, 1)) + at,
         formatted("{} as offset {} in {}, with {} values", offset_at(read, width, wrong),
                   part.rows.begin + wrong, quoted(part.field->path), limit));
  }
  const ValueRange range{.begin = count == 0 ? 0 : offset_at(read, width, 0),
                         .end = count == 0 ? 0 : offset_at(read, width, count)};
  const std::byte* offsets = nullptr;
  if (part.is_whole() || range.begin == 0) {
    offsets = taken(part, part.values);
  } else {
    std::byte* const moved = owned_bytes(*part.to, (count + 1) * width);
    move_offsets(read, width, count + 1, range.begin, moved);
    offsets = moved;
  }
  part.to->buffers = {taken_bits(part, part.validity), offsets};
  return range;
}

void BodyReader::take_lists(Part& part) {
  const ValueRange values = take_offsets(part, child_length(part));
  if (!part.is_whole()) add_child(part, 0, values);
}

void BodyReader::take_list_views(Part& part) {
  const std::int64_t width = part.field->layout.width;
  const std::byte* offsets = taken(part, part.values);
  const std::byte* const sizes = taken(part, part.sizes);
  if (!part.is_whole()) {
    const std::int64_t limit = child_length(part);
    const ValueRange values = range_of_list_views(offsets, sizes, width, part.count(), limit);
    std::byte* const moved = owned_bytes(*part.to, part.count() * width);
    move_list_views(offsets, sizes, width, part.count(), limit, values.begin, moved);
    offsets = moved;
    add_child(part, 0, values);
  }
  part.to->buffers = {taken_bits(part, part.validity), offsets, sizes};
}

// Returns the number of bytes of the texts, or the largest number if a compressed buffer was not
// read.
std::int64_t BodyReader::text_bytes_max(const Part& part) const {
  if (!reads_.is_compressed()) return header_.buffer(*part.field, 2).second;
  if (!part.bytes.empty()) return reads_.read(part.bytes.front()).size;
  return std::numeric_limits<std::int64_t>::max();
}

void BodyReader::take_texts(Part& part) {
  const ValueRange range = take_offsets(part, text_bytes_max(part));
  part.to->buffers.push_back(nullptr);
  if (options_.lengths_only) return;
  if (part.is_whole()) return take_bytes(part);
  part.bytes = {ask_for_bytes(part, 2, range)};
  part.is_second_round = true;
  waiting_.push_back(std::move(part));
}

// Returns the sizes of the buffers of views in the file, or the largest number if a compressed
// buffer was not read.
std::vector<std::int64_t> BodyReader::view_buffer_sizes(const Part& part) const {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < header_.view_buffer_count(*part.field); ++i) {
    sizes.push_back(reads_.is_compressed() ? std::numeric_limits<std::int64_t>::max()
                                           : header_.buffer(*part.field, 2 + i).second);
  }
  return sizes;
}

void BodyReader::take_views(Part& part) {
  const std::vector<std::int64_t> sizes = view_buffer_sizes(part);
  ArrowNode& to = *part.to;
  to.buffers = {taken_bits(part, part.validity), taken(part, part.values)};
  to.buffers.resize(2 + sizes.size() + 1);
  // The last buffer holds the sizes of the other buffers.
  const auto size_bytes = std::ssize(sizes) * 8;
  std::byte* const size_list = owned_bytes(to, size_bytes);
  if (!sizes.empty()) std::memcpy(size_list, sizes.data(), static_cast<std::size_t>(size_bytes));
  to.buffers.back() = size_list;
  if (options_.lengths_only) return;
  if (part.is_whole()) return take_bytes(part);
  const auto* const views = static_cast<const std::byte*>(to.buffers[1]);
  const std::vector<ValueRange> ranges = ranges_of_views(views, part.count(), sizes);
  std::byte* const moved = owned_bytes(to, part.count() * kViewBytes);
  move_views(views, part.count(), sizes, ranges, moved);
  to.buffers[1] = moved;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    part.bytes.push_back(ask_for_bytes(part, 2 + static_cast<std::int64_t>(i), ranges[i]));
  }
  part.is_second_round = true;
  waiting_.push_back(std::move(part));
}

void BodyReader::take_bytes(Part& part) {
  const bool is_view = part.field->layout.kind == LayoutKind::views;
  for (std::size_t i = 0; i < part.bytes.size(); ++i) {
    part.to->buffers[2 + i] = taken(part, part.bytes[i]);
    if (!is_view) continue;
    const std::int64_t size = reads_.read(part.bytes[i]).size;
    auto* const sizes = static_cast<std::byte*>(const_cast<void*>(part.to->buffers.back()));
    std::memcpy(sizes + i * sizeof size, &size, sizeof size);
  }
}

}  // namespace sheaf::arrow
