#include "format/arrow/table_rows.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/columns/column_type.h"

namespace sheaf::arrow {
namespace {

constexpr std::int64_t kKeySize = sizeof(std::int64_t);

const char* format_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::bytes:
      return "C";
    case ElementType::u16:
      return "S";
    case ElementType::i32:
      return "i";
    case ElementType::i64:
      return "l";
    case ElementType::f16:
      return "e";
    case ElementType::f32:
      return "f";
    case ElementType::f64:
      return "g";
    case ElementType::bf16:
      break;
  }
  throw InternalError("arrow: an element type that Arrow does not have");
}

ArrowNode numbers_node(const std::string& bytes, ElementType type, const char* name) {
  return {.format = format_of(type),
          .name = name,
          .length = std::ssize(bytes) / element_size(type),
          .buffers = {nullptr, bytes.data()}};
}

ArrowNode list_node(ArrowNode item, const std::vector<std::int64_t>& ends) {
  ArrowNode node{.format = "+L",
                 .name = "item",
                 .length = std::ssize(ends) - 1,
                 .buffers = {nullptr, ends.data()}};
  node.children.push_back(std::move(item));
  return node;
}

// Appends the ends of some pieces, which follow the existing ones.
void add_ends(std::vector<std::int64_t>& ends, const std::vector<std::int64_t>& other,
              std::int64_t first, std::int64_t count) {
  const std::int64_t shift = ends.back() - other[static_cast<std::size_t>(first)];
  for (std::int64_t i = first + 1; i <= first + count; ++i) {
    ends.push_back(other[static_cast<std::size_t>(i)] + shift);
  }
}

void add_bytes(std::string& bytes, const std::byte* from, std::int64_t count) {
  if (count > 0) bytes.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(count));
}

void add_bytes(std::string& bytes, const std::string& from, std::int64_t first,
               std::int64_t count) {
  bytes.append(from, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

// Returns a word such as "labels:sparse:10", with the properties that the types of the columns do
// not tell.
std::string word_of(const Stream& stream) {
  std::string shape;
  for (const std::int64_t extent : stream.sample_shape.extents()) {
    if (!shape.empty()) shape += 'x';
    shape += extent == Shape::kVariable ? "*" : std::to_string(extent);
  }
  const bool is_sparse = stream.storage == Storage::sparse;
  return formatted("{}:{}:{}{}{}", stream.name, is_sparse ? "sparse" : "dense", shape,
                   is_sparse && stream.index_type == ElementType::i64 ? ":index=i64" : "",
                   stream.defines_minibatch_size ? ":mb" : "");
}

}  // namespace

StreamRows::StreamRows(const Stream& stream)
    : value_size_(element_size(stream.element_type)),
      index_size_(stream.storage == Storage::sparse ? element_size(stream.index_type) : 0),
      values_per_sample_(stream.storage == Storage::dense && stream.sample_shape.is_fixed()
                             ? stream.sample_shape.size()
                             : 0) {}

std::int64_t StreamRows::add(const SequenceView& view) {
  const auto row = row_ends_.size() - 1;
  if (row % 8 == 0) present_.push_back(0);
  if (view.is_present) {
    present_.back() = static_cast<std::uint8_t>(present_.back() | (1U << (row % 8)));
  } else {
    ++absent_count_;
  }
  row_ends_.push_back(row_ends_.back() + view.sample_count);
  std::int64_t size = view.value_count * (value_size_ + index_size_) + kKeySize;
  add_bytes(values_, view.values, view.value_count * value_size_);
  if (index_size_ > 0) add_bytes(indices_, view.indices, view.value_count * index_size_);
  if (values_per_sample_ == 0) {
    for (std::int64_t i = 0; i < view.sample_count; ++i) {
      const std::int64_t values =
          view.sample_offsets != nullptr ? view.sample_offsets[i + 1] - view.sample_offsets[i] : 1;
      sample_ends_.push_back(sample_ends_.back() + values);
    }
    size += view.sample_count * kKeySize;
  }
  return size;
}

void StreamRows::add(const StreamRows& other, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(first + i);
    const auto row = row_ends_.size() - 1 + static_cast<std::size_t>(i);
    if (row % 8 == 0) present_.push_back(0);
    if ((other.present_[from / 8] >> (from % 8) & 1) != 0) {
      present_.back() = static_cast<std::uint8_t>(present_.back() | (1U << (row % 8)));
    } else {
      ++absent_count_;
    }
  }
  const std::int64_t first_sample = other.row_ends_[static_cast<std::size_t>(first)];
  const std::int64_t samples =
      other.row_ends_[static_cast<std::size_t>(first + count)] - first_sample;
  add_ends(row_ends_, other.row_ends_, first, count);
  std::int64_t first_value = first_sample * values_per_sample_;
  std::int64_t values = samples * values_per_sample_;
  if (values_per_sample_ == 0) {
    first_value = other.sample_ends_[static_cast<std::size_t>(first_sample)];
    values = other.sample_ends_[static_cast<std::size_t>(first_sample + samples)] - first_value;
    add_ends(sample_ends_, other.sample_ends_, first_sample, samples);
  }
  add_bytes(values_, other.values_, first_value * value_size_, values * value_size_);
  add_bytes(indices_, other.indices_, first_value * index_size_, values * index_size_);
}

ArrowNode StreamRows::samples(const Stream& stream) const {
  if (stream.element_type == ElementType::bytes) {
    return {.format = "Z",
            .name = "item",
            .length = std::ssize(sample_ends_) - 1,
            .buffers = {nullptr, sample_ends_.data(), values_.data()}};
  }
  if (index_size_ > 0) {
    ArrowNode pairs{.format = "+s", .name = "item", .buffers = {nullptr}};
    pairs.children.push_back(numbers_node(indices_, stream.index_type, "index"));
    pairs.children.push_back(numbers_node(values_, stream.element_type, "value"));
    pairs.length = pairs.children.front().length;
    return list_node(std::move(pairs), sample_ends_);
  }
  ArrowNode samples = numbers_node(values_, stream.element_type, "item");
  if (values_per_sample_ == 0) return list_node(std::move(samples), sample_ends_);
  if (values_per_sample_ == 1) return samples;
  const std::span<const std::int64_t> extents = stream.sample_shape.extents();
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    ArrowNode lists{.format = formatted("+w:{}", *extent),
                    .name = "item",
                    .length = samples.length / *extent,
                    .buffers = {nullptr}};
    lists.children.push_back(std::move(samples));
    samples = std::move(lists);
  }
  return samples;
}

ArrowNode StreamRows::node(const Stream& stream) const {
  ArrowNode rows = list_node(samples(stream), row_ends_);
  rows.name = stream.name;
  rows.is_nullable = true;
  rows.metadata = arrow_metadata({{"sheaf.stream", word_of(stream)}});
  if (absent_count_ > 0) {
    rows.null_count = absent_count_;
    rows.buffers[0] = present_.data();
  }
  return rows;
}

std::int64_t StreamRows::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(values_.capacity() + indices_.capacity() + present_.capacity() +
                                   (sample_ends_.capacity() + row_ends_.capacity()) *
                                       sizeof(std::int64_t));
}

void StreamRows::clear() {
  values_.clear();
  indices_.clear();
  sample_ends_.resize(1);
  row_ends_.resize(1);
  present_.clear();
  absent_count_ = 0;
}

ArrowNode KeyRows::node(bool are_texts) const {
  ArrowNode node{.format = are_texts ? "U" : "L",
                 .name = std::string(columns::kKeyName),
                 .metadata = arrow_metadata({{std::string(columns::kKeyMetadata), "1"}}),
                 .length = are_texts ? std::ssize(text_ends) - 1 : std::ssize(numbers),
                 .buffers = {nullptr}};
  if (are_texts) {
    node.buffers.push_back(text_ends.data());
    node.buffers.push_back(texts.data());
  } else {
    node.buffers.push_back(numbers.data());
  }
  return node;
}

void KeyRows::add(const KeyRows& other, std::int64_t first, std::int64_t count) {
  if (!other.numbers.empty()) {
    numbers.insert(numbers.end(), other.numbers.begin() + first,
                   other.numbers.begin() + first + count);
    return;
  }
  if (other.text_ends.size() == 1) return;  // the keys are not written
  const std::int64_t begin = other.text_ends[static_cast<std::size_t>(first)];
  add_bytes(texts, other.texts, begin,
            other.text_ends[static_cast<std::size_t>(first + count)] - begin);
  add_ends(text_ends, other.text_ends, first, count);
}

void KeyRows::clear() {
  numbers.clear();
  texts.clear();
  text_ends.resize(1);
}

std::int64_t KeyRows::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(
      (numbers.capacity() + text_ends.capacity()) * sizeof(std::int64_t) + texts.capacity());
}

TableRows::TableRows(std::span<const Stream> all) {
  for (const Stream& stream : all) streams.emplace_back(stream);
}

void TableRows::add(const TableRows& other, std::int64_t first, std::int64_t number) {
  for (std::size_t i = 0; i < streams.size(); ++i) streams[i].add(other.streams[i], first, number);
  keys.add(other.keys, first, number);
  count += number;
}

void TableRows::clear() {
  for (StreamRows& each : streams) each.clear();
  keys.clear();
  sizes.clear();
  count = 0;
}

ArrowNode TableRows::node(std::span<const Stream> wanted, bool has_keys, bool are_texts) const {
  ArrowNode rows{.format = "+s", .length = count, .buffers = {nullptr}};
  if (has_keys) rows.children.push_back(keys.node(are_texts));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    rows.children.push_back(streams[i].node(wanted[i]));
  }
  return rows;
}

std::int64_t TableRows::memory_bytes() const noexcept {
  std::int64_t bytes =
      keys.memory_bytes() + static_cast<std::int64_t>(sizes.capacity() * sizeof(std::int64_t));
  for (const StreamRows& each : streams) bytes += each.memory_bytes();
  return bytes;
}

}  // namespace sheaf::arrow
