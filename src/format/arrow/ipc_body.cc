// Decides which bytes are read. ipc_body_take.cc turns them into arrays.

#include "format/arrow/ipc_body.h"

#include <utility>

#include "base/saturated.h"
#include "base/text.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/bit_copy.h"

namespace sheaf::arrow {
namespace {

constexpr std::int64_t kTypeIdBytes = 1;
constexpr std::int64_t kUnionOffsetBytes = 4;

// Returns the alignment in memory of values with this width.
std::int64_t alignment_of(std::int64_t width) noexcept {
  if (width == 2 || width == 4) return width;
  return width > 0 && width % 8 == 0 ? 8 : 1;
}

}  // namespace

BodyReader::BodyReader(const IpcBatchHeader& header, BodyOptions options)
    : header_(header),
      options_(std::move(options)),
      reads_(header.file(), options_.body_offset, header.codec()) {}

void BodyReader::add(const IpcField& column, ValueRange rows, ArrowNode& to) {
  const IpcPair node = header_.node(column);
  if (node.first != header_.row_count()) {
    fail(header_.file(), kNode, node.location,
         formatted("{} values in {}, where the batch has {} rows", node.first, quoted(column.path),
                   header_.row_count()));
  }
  add_part(column, rows, to);
  if (!reads_.is_compressed()) return;
  to.length = rows.size();
  to.offset = to.length == 0 ? 0 : rows.begin;
  if (to.length < node.first && to.null_count > 0) to.null_count = -1;
}

void BodyReader::run() {
  while (!waiting_.empty()) {
    reads_.run();
    std::vector<Part> parts = std::exchange(waiting_, {});
    for (Part& part : parts) take(part);
  }
}

void BodyReader::add_part(const IpcField& field, ValueRange rows, ArrowNode& to) {
  const IpcPair node = header_.node(field);
  if (rows.end > node.first) {
    fail(header_.file(), kNode, node.location,
         formatted("{} values in {}, where {} are needed", node.first, quoted(field.path),
                   rows.end));
  }
  if (reads_.is_compressed()) rows = {.begin = 0, .end = node.first};
  Part part{.field = &field, .to = &to, .rows = rows, .node = node};
  to.length = rows.size();
  // The number of nulls in a part of an array is unknown.
  to.null_count = node.second == 0 || part.is_whole() ? node.second : -1;
  to.children.resize(field.children.size());
  ask(part);
  waiting_.push_back(std::move(part));
}

void BodyReader::add_child(const Part& part, std::size_t child, ValueRange rows) {
  add_part(part.field->children[child], rows, part.to->children[child]);
}

void BodyReader::add_children(const Part& part, ValueRange rows) {
  for (std::size_t child = 0; child < part.field->children.size(); ++child) {
    add_child(part, child, rows);
  }
}

void BodyReader::add_all_of_child(const Part& part, std::size_t child) {
  const IpcPair node = header_.node(part.field->children[child]);
  add_child(part, child, {.begin = 0, .end = node.first});
}

std::int64_t BodyReader::child_length(const Part& part) const {
  return header_.node(part.field->children.front()).first;
}

std::int64_t BodyReader::union_begin(const Part& part) const noexcept {
  return part.field->has_old_validity ? 1 : 0;
}

void BodyReader::ask(Part& part) {
  const Layout layout = part.field->layout;
  const bool has_validity = layout.kind <= LayoutKind::structs && layout.kind != LayoutKind::nulls;
  if (has_validity && part.node.second > 0) part.validity = ask_for_bits(part, 0);
  const bool wants_values = !options_.lengths_only || part.field->dictionary;
  switch (layout.kind) {
    case LayoutKind::nulls:
      part.to->null_count = part.count();
      break;
    case LayoutKind::bits:
      if (wants_values) part.values = ask_for_bits(part, 1);
      break;
    case LayoutKind::fixed:
      if (wants_values) part.values = ask_for_values(part, 1, layout.width);
      break;
    case LayoutKind::texts:
    case LayoutKind::views:
      ask_for_texts(part);
      break;
    case LayoutKind::lists:
    case LayoutKind::list_views:
      ask_for_lists(part);
      break;
    case LayoutKind::fixed_lists:
      add_child(part, 0,
                {.begin = internal::saturated_product(part.rows.begin, layout.width),
                 .end = internal::saturated_product(part.rows.end, layout.width)});
      break;
    case LayoutKind::structs:
      add_children(part, part.rows);
      break;
    case LayoutKind::sparse_union:
      part.values = ask_for_values(part, union_begin(part), kTypeIdBytes);
      add_children(part, part.rows);
      break;
    case LayoutKind::dense_union:
      part.values = ask_for_values(part, union_begin(part), kTypeIdBytes);
      part.sizes = ask_for_values(part, union_begin(part) + 1, kUnionOffsetBytes);
      for (std::size_t child = 0; child < part.field->children.size(); ++child) {
        add_all_of_child(part, child);
      }
      break;
    case LayoutKind::run_ends:
      part.to->offset = part.rows.begin;
      add_all_of_child(part, 0);
      add_all_of_child(part, 1);
      break;
  }
}

// If all rows are wanted, all values of the lists are, so one round of reads is enough.
void BodyReader::ask_for_lists(Part& part) {
  const Layout layout = part.field->layout;
  const bool is_view = layout.kind == LayoutKind::list_views;
  part.values = ask_for_values(part, 1, layout.width, is_view ? 0 : 1);
  if (is_view) part.sizes = ask_for_values(part, 2, layout.width);
  if (part.is_whole()) add_all_of_child(part, 0);
}

void BodyReader::ask_for_texts(Part& part) {
  const Layout layout = part.field->layout;
  part.values = ask_for_values(part, 1, layout.width, layout.kind == LayoutKind::texts ? 1 : 0);
  if (part.is_whole() && !options_.lengths_only) ask_for_all_bytes(part);
}

void BodyReader::ask_for_all_bytes(Part& part) {
  const bool is_text = part.field->layout.kind == LayoutKind::texts;
  const std::int64_t count = is_text ? 1 : header_.view_buffer_count(*part.field);
  for (std::int64_t i = 0; i < count; ++i) {
    const IpcPair buffer = header_.buffer(*part.field, 2 + i);
    part.bytes.push_back(ask_for_bytes(part, 2 + i, {.begin = 0, .end = buffer.second}));
  }
}

std::size_t BodyReader::ask_for_bits(const Part& part, std::int64_t buffer) {
  ValueRange bytes;
  if (part.count() > 0) {
    bytes = {.begin = part.rows.begin / 8, .end = bytes_of_bits(part.rows.end)};
  }
  return want(part, buffer, bytes, bytes_of_bits(part.node.first), 1);
}

// `more` is the number of values beyond one for each row.
std::size_t BodyReader::ask_for_values(const Part& part, std::int64_t buffer, std::int64_t width,
                                       std::int64_t more) {
  const auto bytes_of = [&](std::int64_t values) {
    return internal::saturated_product(values, width);
  };
  ValueRange bytes;
  if (part.count() > 0) {
    bytes = {.begin = bytes_of(part.rows.begin),
             .end = bytes_of(internal::saturated_sum(part.rows.end, more))};
  }
  const std::int64_t all =
      part.node.first == 0 ? 0 : internal::saturated_sum(part.node.first, more);
  return want(part, buffer, bytes, bytes_of(all), alignment_of(width));
}

std::size_t BodyReader::ask_for_bytes(const Part& part, std::int64_t buffer, ValueRange bytes) {
  return want(part, buffer, bytes, 0, 1);
}

std::size_t BodyReader::want(const Part& part, std::int64_t buffer, ValueRange bytes,
                             std::int64_t least, std::int64_t alignment) {
  const IpcPair location = header_.buffer(*part.field, buffer);
  // A compressed buffer can only be decompressed whole. Buffers that are not requested are neither
  // decompressed nor checked.
  if (reads_.is_compressed()) bytes = {.begin = 0, .end = location.second};
  return reads_.want({.buffer = location,
                      .begin = bytes.begin,
                      .size = bytes.size(),
                      .least = least,
                      .alignment = alignment});
}

}  // namespace sheaf::arrow
