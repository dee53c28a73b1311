#include "format/arrow/ipc_test_files.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/unaligned.h"
#include "format/arrow/arrow_layout.h"
#include "format/arrow/ipc_batches.h"

namespace sheaf::arrow::testing {
namespace {

const std::byte* buffer(const ArrowArray& array, std::int64_t number) {
  return static_cast<const std::byte*>(array.buffers[number]);
}

bool bit(const std::byte* bits, std::int64_t i) {
  return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1U) != 0;
}

template <typename T>
std::string number_text(const std::byte* values, std::int64_t i) {
  if constexpr (std::is_floating_point_v<T>) {
    std::string text = std::to_string(internal::load<T>(values, i));
    while (text.ends_with('0')) text.pop_back();
    return text;
  } else {
    return std::to_string(+internal::load<T>(values, i));
  }
}

std::string fixed_text(std::string_view format, std::int64_t width, const std::byte* values,
                       std::int64_t i) {
  if (format == "f") return number_text<float>(values, i);
  if (format == "g") return number_text<double>(values, i);
  if (format == "C") return number_text<std::uint8_t>(values, i);
  if (format == "S" || format == "e") return number_text<std::uint16_t>(values, i);
  if (format == "I") return number_text<std::uint32_t>(values, i);
  if (format == "L") return number_text<std::uint64_t>(values, i);
  if (format.starts_with("w:")) {
    return "'" +
           std::string(reinterpret_cast<const char*>(values) + i * width,
                       static_cast<std::size_t>(width)) +
           "'";
  }
  if (format == "tin") {
    return number_text<std::int32_t>(values, 4 * i) + "/" +
           number_text<std::int32_t>(values, 4 * i + 1) + "/" +
           number_text<std::int64_t>(values, 2 * i + 1);
  }
  if (width == 1) return number_text<std::int8_t>(values, i);
  if (width == 2) return number_text<std::int16_t>(values, i);
  if (width == 4) return number_text<std::int32_t>(values, i);
  return number_text<std::int64_t>(values + i * width, 0);
}

std::int64_t wide_offset(const std::byte* offsets, std::int64_t width, std::int64_t i) {
  return width == 4 ? internal::load<std::int32_t>(offsets, i)
                    : internal::load<std::int64_t>(offsets, i);
}

std::string quoted_text(const std::byte* bytes, std::int64_t size) {
  return "'" + std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)) +
         "'";
}

std::string view_text(const ArrowArray& array, std::int64_t i) {
  const std::byte* const view = buffer(array, 1) + i * kViewBytes;
  const std::int64_t size = internal::load<std::int32_t>(view);
  if (size < 0) throw std::out_of_range("a wrong view");
  if (size <= 12) return quoted_text(view + 4, size);
  const std::int64_t number = internal::load<std::int32_t>(view, 2);
  const std::int64_t offset = internal::load<std::int32_t>(view, 3);
  const std::int64_t count = array.n_buffers - 3;
  if (number < 0 || number >= count) throw std::out_of_range("a view names no buffer");
  const auto limit = internal::load<std::int64_t>(buffer(array, array.n_buffers - 1), number);
  if (size < 0 || offset < 0 || offset + size > limit) throw std::out_of_range("a wrong view");
  return quoted_text(buffer(array, 2 + number) + offset, size);
}

std::string value_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row);

// Returns the text of some values of the first child.
std::string list_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t begin,
                      std::int64_t end) {
  const ArrowArray& child = *array.children[0];
  if (begin < 0 || begin > end || end > child.length) throw std::out_of_range("a wrong list");
  std::string text = "[";
  for (std::int64_t i = begin; i < end; ++i) {
    if (i > begin) text += ", ";
    text += value_text(*schema.children[0], child, i);
  }
  return text + "]";
}

std::string struct_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t i) {
  std::string text = "{";
  for (std::int64_t child = 0; child < array.n_children; ++child) {
    if (child > 0) text += ", ";
    text += schema.children[child]->name + std::string(": ") +
            value_text(*schema.children[child], *array.children[child], i);
  }
  return text + "}";
}

std::string runs_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t i) {
  const ArrowArray& ends = *array.children[0];
  for (std::int64_t run = 0; run < ends.length; ++run) {
    const std::byte* const values = buffer(ends, 1);
    const std::string_view format = schema.children[0]->format;
    const std::int64_t end = format == "s" ? internal::load<std::int16_t>(values, run)
                                           : wide_offset(values, format == "i" ? 4 : 8, run);
    if (i < end) return value_text(*schema.children[1], *array.children[1], run);
  }
  throw std::out_of_range("no run");
}

// `i` includes the offset of the array.
std::string valid_text(const ArrowSchema& schema, const ArrowArray& array, const Layout& layout,
                       std::int64_t i) {
  const std::byte* const values = array.n_buffers > 1 ? buffer(array, 1) : nullptr;
  switch (layout.kind) {
    case LayoutKind::nulls:
      return "null";
    case LayoutKind::bits:
      return bit(values, i) ? "true" : "false";
    case LayoutKind::fixed:
      return fixed_text(schema.format, layout.width, values, i);
    case LayoutKind::texts: {
      const std::int64_t begin = wide_offset(values, layout.width, i);
      return quoted_text(buffer(array, 2) + begin,
                         wide_offset(values, layout.width, i + 1) - begin);
    }
    case LayoutKind::views:
      return view_text(array, i);
    case LayoutKind::lists:
      return list_text(schema, array, wide_offset(values, layout.width, i),
                       wide_offset(values, layout.width, i + 1));
    case LayoutKind::list_views: {
      const std::int64_t begin = wide_offset(values, layout.width, i);
      const std::int64_t size = wide_offset(buffer(array, 2), layout.width, i);
      if (size < 0) throw std::out_of_range("a wrong list");
      return list_text(schema, array, begin, begin + size);
    }
    case LayoutKind::fixed_lists:
      return list_text(schema, array, i * layout.width, (i + 1) * layout.width);
    case LayoutKind::structs:
      return struct_text(schema, array, i);
    default:
      break;
  }
  if (layout.kind == LayoutKind::run_ends) return runs_text(schema, array, i);
  const int child = internal::load<std::uint8_t>(buffer(array, 0), i);
  if (child >= array.n_children) throw std::out_of_range("no child");
  const std::int64_t at =
      layout.kind == LayoutKind::sparse_union ? i : internal::load<std::int32_t>(values, i);
  if (at < 0 || at >= array.children[child]->length) throw std::out_of_range("no value");
  return value_text(*schema.children[child], *array.children[child], at);
}

std::string value_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row) {
  const Layout layout = layout_of(schema.format).value();
  const std::int64_t i = row + array.offset;
  const bool has_validity = layout.kind <= LayoutKind::structs && array.n_buffers > 0;
  if (has_validity && buffer(array, 0) != nullptr && !bit(buffer(array, 0), i)) return "null";
  std::string text = valid_text(schema, array, layout, i);
  if (schema.dictionary == nullptr) return text;
  const std::int64_t number = std::stoll(text);
  if (number < 0 || number >= array.dictionary->length) throw std::out_of_range("no word");
  return value_text(*schema.dictionary, *array.dictionary, number);
}

}  // namespace

std::string bytes_of(std::string_view file) {
  std::ifstream stream(std::string(SHEAF_TESTDATA_DIR) + "/arrow/" + std::string(file),
                       std::ios::binary);
  if (!stream) throw std::runtime_error("no file " + std::string(file));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::shared_ptr<const ByteSource> source_of(std::string_view file) {
  return memory_source(bytes_of(file), std::string(file));
}

std::shared_ptr<const ArrowBatches> table_of(std::string bytes) {
  return open_ipc(memory_source(std::move(bytes), "t.arrow"));
}

std::int64_t column_of(const ArrowSchema& schema, std::string_view name) {
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (schema.children[i]->name == name) return i;
  }
  throw std::out_of_range("no column " + std::string(name));
}

std::string text_of(const ArrowSchema& schema, const ArrowArray& array) {
  std::string text = "[";
  for (std::int64_t row = 0; row < array.length; ++row) {
    if (row > 0) text += ", ";
    text += value_text(schema, array, row);
  }
  return text + "]";
}

ArrowNode node_of(const ArrowSchema& schema, const ArrowArray& array) {
  ArrowNode node{
      .format = schema.format,
      .name = schema.name,
      .is_nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0,
      .length = array.length,
      .null_count = array.null_count,
      .offset = array.offset,
      .buffers = std::vector<const void*>(array.buffers, array.buffers + array.n_buffers)};
  for (std::int64_t i = 0; i < array.n_children; ++i) {
    node.children.push_back(node_of(*schema.children[i], *array.children[i]));
  }
  if (schema.dictionary != nullptr) {
    node.dictionary.push_back(node_of(*schema.dictionary, *array.dictionary));
  }
  return node;
}

std::shared_ptr<const ArrowArray> read_column(const ArrowBatches& table, std::string_view column,
                                              ReadPart part, bool lengths_only) {
  const std::int64_t number = column_of(table.schema(), column);
  if (part.count < 0) part.count = table.row_count(part.batch) - part.first;
  return table.read({.batch = part.batch,
                     .first = part.first,
                     .count = part.count,
                     .columns = std::span(&number, 1),
                     .lengths_only = lengths_only});
}

std::string read_text(const ArrowBatches& table, std::string_view column, ReadPart part) {
  const auto array = read_column(table, column, part);
  return text_of(*table.schema().children[column_of(table.schema(), column)], *array->children[0]);
}

std::int64_t read_all(const ArrowBatches& table) {
  std::int64_t size = 0;
  std::vector<std::int64_t> columns(static_cast<std::size_t>(table.schema().n_children));
  std::iota(columns.begin(), columns.end(), 0);
  for (std::int64_t batch = 0; batch < table.batch_count(); ++batch) {
    const auto array =
        table.read({.batch = batch, .count = table.row_count(batch), .columns = columns});
    for (const std::int64_t column : columns) {
      size += std::ssize(text_of(*table.schema().children[column], *array->children[column]));
    }
  }
  return size;
}

}  // namespace sheaf::arrow::testing
