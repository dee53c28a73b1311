// Makes tables of Arrow arrays in memory, for tests.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/arrow_data.h"
#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/deserializer.h"

namespace sheaf::columns {

/// Returns a buffer with values and its owner.
template <typename T>
std::shared_ptr<const std::vector<T>> buffer_of(std::vector<T> values) {
  return std::make_shared<const std::vector<T>>(std::move(values));
}

template <typename T>
void add_buffer(ArrowNode& node, std::vector<T> values) {
  auto buffer = buffer_of(std::move(values));
  node.buffers.push_back(buffer->data());
  node.owned.push_back(std::move(buffer));
}

/// Sets which elements are valid.
inline ArrowNode with_validity(ArrowNode node, const std::vector<bool>& valid) {
  std::vector<std::uint8_t> bits((valid.size() + 7) / 8 + 1, 0);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i]) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (1U << (i % 8)));
    node.null_count += valid[i] ? 0 : 1;
  }
  auto buffer = buffer_of(std::move(bits));
  node.buffers[0] = buffer->data();
  node.owned.push_back(std::move(buffer));
  node.is_nullable = true;
  return node;
}

/// Returns an array of numbers: numbers_of<float>("f", {...}).
template <typename T>
ArrowNode numbers_of(const char* format, std::vector<T> values) {
  ArrowNode node{
      .format = format, .length = static_cast<std::int64_t>(values.size()), .buffers = {nullptr}};
  add_buffer(node, std::move(values));
  return node;
}

inline ArrowNode bits_of(const std::vector<bool>& values) {
  std::vector<std::uint8_t> bits((values.size() + 7) / 8 + 1, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (1U << (i % 8)));
  }
  ArrowNode node = numbers_of<std::uint8_t>("b", std::move(bits));
  node.length = static_cast<std::int64_t>(values.size());
  return node;
}

inline ArrowNode list_of(std::vector<std::int32_t> offsets, ArrowNode items) {
  ArrowNode node = numbers_of<std::int32_t>("+l", std::move(offsets));
  --node.length;
  node.children.push_back(std::move(items));
  return node;
}

inline ArrowNode large_list_of(std::vector<std::int64_t> offsets, ArrowNode items) {
  ArrowNode node = numbers_of<std::int64_t>("+L", std::move(offsets));
  --node.length;
  node.children.push_back(std::move(items));
  return node;
}

inline ArrowNode fixed_list_of(std::int64_t size, ArrowNode items) {
  ArrowNode node{
      .format = "+w:" + std::to_string(size), .length = items.length / size, .buffers = {nullptr}};
  node.children.push_back(std::move(items));
  return node;
}

inline ArrowNode named(const char* name, ArrowNode node) {
  node.name = name;
  return node;
}

inline ArrowNode struct_of(std::vector<ArrowNode> children) {
  ArrowNode node{.format = "+s",
                 .length = children.empty() ? 0 : children.front().length,
                 .buffers = {nullptr}};
  node.children = std::move(children);
  return node;
}

inline ArrowNode texts_of(const std::vector<std::string>& texts) {
  std::vector<std::int32_t> offsets = {0};
  std::vector<char> bytes;
  for (const std::string& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int32_t>(bytes.size()));
  }
  ArrowNode node = numbers_of<std::int32_t>("u", std::move(offsets));
  --node.length;
  add_buffer(node, std::move(bytes));
  return node;
}

/// Returns texts in the format of views. Texts longer than 12 bytes lie in one buffer.
inline ArrowNode views_of(const std::vector<std::string>& texts) {
  std::vector<std::int32_t> views;
  std::vector<char> bytes;
  for (const std::string& text : texts) {
    std::int32_t view[4] = {static_cast<std::int32_t>(text.size()), 0, 0, 0};
    if (text.size() <= 12) {
      std::copy(text.begin(), text.end(), reinterpret_cast<char*>(view + 1));
    } else {
      std::copy(text.begin(), text.begin() + 4, reinterpret_cast<char*>(view + 1));
      view[3] = static_cast<std::int32_t>(bytes.size());
      bytes.insert(bytes.end(), text.begin(), text.end());
    }
    views.insert(views.end(), view, view + 4);
  }
  ArrowNode node = numbers_of<std::int32_t>("vu", std::move(views));
  node.length = static_cast<std::int64_t>(texts.size());
  const auto size = static_cast<std::int64_t>(bytes.size());
  add_buffer(node, std::move(bytes));
  add_buffer<std::int64_t>(node, {size});
  return node;
}

inline ArrowNode classes_of(std::vector<std::int8_t> numbers,
                            const std::vector<std::string>& names) {
  ArrowNode node = numbers_of<std::int8_t>("c", std::move(numbers));
  node.dictionary.push_back(texts_of(names));
  return node;
}

/// Returns rows of a node, as a slice of the same buffers.
inline ArrowNode slice_of(ArrowNode node, std::int64_t first, std::int64_t count) {
  if (node.format == "+s") {
    for (ArrowNode& child : node.children) child = slice_of(std::move(child), first, count);
  } else {
    node.offset += first;
  }
  node.length = count;
  return node;
}

/// A table with its batches in memory.
class MemoryBatches final : public ArrowBatches {
 public:
  explicit MemoryBatches(std::vector<ArrowNode> batches, bool reads_parts = false)
      : batches_(std::move(batches)), reads_parts_(reads_parts) {
    export_schema(batches_.front(), *schema_);
  }

  [[nodiscard]] const ArrowSchema& schema() const noexcept override { return *schema_; }
  [[nodiscard]] std::string_view name() const noexcept override { return "t.arrow"; }
  [[nodiscard]] std::string_view path() const noexcept override { return file; }
  [[nodiscard]] std::string fingerprint() const override { return content; }
  [[nodiscard]] std::int64_t batch_count() const noexcept override {
    return static_cast<std::int64_t>(batches_.size());
  }
  [[nodiscard]] std::int64_t row_count(std::int64_t batch) const noexcept override {
    return batches_[static_cast<std::size_t>(batch)].length;
  }
  [[nodiscard]] ArrowLocation location(std::int64_t batch) const noexcept override {
    return {.offset_bytes = batch * size_bytes, .size_bytes = size_bytes};
  }
  [[nodiscard]] bool reads_parts() const noexcept override { return reads_parts_; }
  [[nodiscard]] bool reads_lengths() const noexcept override { return has_cheap_lengths; }
  [[nodiscard]] std::optional<std::int64_t> null_count(std::int64_t batch,
                                                       std::int64_t column) const override {
    if (!knows_nulls) return std::nullopt;
    return batches_[static_cast<std::size_t>(batch)]
        .children[static_cast<std::size_t>(column)]
        .null_count;
  }

  [[nodiscard]] std::shared_ptr<const ArrowArray> read(const ArrowPart& part) const override {
    ++reads;
    column_reads += std::ssize(part.columns);
    if (part.needs_dictionaries) ++dictionary_reads;
    if (part.batch == damaged && !part.lengths_only) {
      throw DataError({{.path = "t.arrow",
                        .byte_offset = damaged * kSizeBytes,
                        .code = "test-damage",
                        .expected = "a batch",
                        .found = "another"}});
    }
    const ArrowNode& batch = batches_[static_cast<std::size_t>(part.batch)];
    ArrowNode wanted{.format = "+s", .length = part.count, .buffers = {nullptr}};
    for (const std::int64_t column : part.columns) {
      wanted.children.push_back(
          slice_of(batch.children[static_cast<std::size_t>(column)], part.first, part.count));
    }
    Taken<ArrowArray> array = nothing_taken<ArrowArray>();
    export_array(wanted, nullptr, *array);
    return array;
  }

  static constexpr std::int64_t kSizeBytes = 1000;
  mutable std::int64_t reads = 0;             // calls of read()
  mutable std::int64_t column_reads = 0;      // columns of these calls
  mutable std::int64_t dictionary_reads = 0;  // those that need the values of dictionaries
  bool knows_nulls = false;
  bool has_cheap_lengths = true;
  std::string file;                      // the index file lies beside this file
  std::string content = "memory";        // the fingerprint
  std::int64_t size_bytes = kSizeBytes;  // size of each batch
  std::int64_t damaged = -1;             // the batch whose values cannot be read

 private:
  std::vector<ArrowNode> batches_;
  bool reads_parts_;
  Taken<ArrowSchema> schema_ = nothing_taken<ArrowSchema>();
};

/// Opens one table. The table is not copied.
inline std::unique_ptr<Deserializer> open_table(std::shared_ptr<const ArrowBatches> batches,
                                                std::vector<StreamOptions> streams = {},
                                                FormatOptions options = {}) {
  options.streams = std::move(streams);
  return open_arrow_data(std::move(batches), options);
}

inline std::unique_ptr<Deserializer> open_columns(std::vector<ArrowNode> columns,
                                                  std::vector<StreamOptions> streams = {},
                                                  FormatOptions options = {}) {
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of(std::move(columns)));
  return open_table(std::make_shared<const MemoryBatches>(std::move(batches)), std::move(streams),
                    std::move(options));
}

inline std::string number_at(const Stream& stream, const std::byte* values, std::int64_t i) {
  const auto number = [&]<typename T>(T) {
    T value;
    std::memcpy(&value, values + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    if constexpr (kIsHalf<T>) {
      return std::to_string(arithmetic(value));
    } else {
      return std::to_string(value);
    }
  };
  std::string text;
  switch (stream.element_type) {
    case ElementType::u8:
      return number(std::uint8_t{});
    case ElementType::u16:
      return number(std::uint16_t{});
    case ElementType::i32:
      return number(std::int32_t{});
    case ElementType::i64:
      return number(std::int64_t{});
    case ElementType::f16:
      text = number(Float16{});
      break;
    case ElementType::bf16:
      text = number(BFloat16{});
      break;
    case ElementType::f32:
      text = number(float{});
      break;
    case ElementType::f64:
      text = number(double{});
      break;
    case ElementType::bytes:
      return std::string(1, static_cast<char>(values[i]));
  }
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Returns one stream of a sequence as text: "[1 2][3 4]", "[0:1.5 7:2]", or "-" if the stream is
/// absent.
inline std::string shown_view(const Stream& stream, const SequenceView& view) {
  if (!view.is_present) return "-";
  std::string text;
  std::int64_t value = 0;
  for (std::int64_t sample = 0; sample < view.sample_count; ++sample) {
    const std::int64_t size = view.sample_offsets != nullptr
                                  ? view.sample_offsets[sample + 1] - view.sample_offsets[sample]
                                  : stream.sample_shape.size();
    text += '[';
    for (std::int64_t i = 0; i < size; ++i, ++value) {
      if (i > 0 && stream.element_type != ElementType::bytes) text += ' ';
      if (stream.storage == Storage::sparse) {
        Stream index;
        index.element_type = stream.index_type;
        text += number_at(index, view.indices, value) + ":";
      }
      text += number_at(stream, view.values, value);
    }
    text += ']';
  }
  return text;
}

/// Returns all sequences of a data set as text: "0 x=[1] y=[2 3]; 1 hole".
inline std::string shown(const Deserializer& data, std::vector<std::string>* wrong = nullptr) {
  std::string text;
  for (ChunkIndex c{}; const auto info = data.index().chunk(c); c = next(c)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = c}, diagnostics);
    const auto table = data.index().sequences(c);
    for (std::int64_t i = 0; i < chunk.sequence_count(); ++i) {
      if (!text.empty()) text += "; ";
      text += chunk.key_text(i).empty() ? to_string(table->key(i)) : std::string(chunk.key_text(i));
      if (chunk.is_hole(i)) {
        text += " hole";
        continue;
      }
      std::int64_t stream = 0;
      for (const Stream& each : data.streams()) {
        text += " " + each.name + "=" + shown_view(each, chunk.view(stream++, i));
      }
    }
    if (wrong == nullptr) continue;
    for (const Diagnostic& each : diagnostics.described()) {
      wrong->push_back(each.sequence_key + " " + each.stream + " " + each.code + " " + each.found);
    }
  }
  return text;
}

}  // namespace sheaf::columns
