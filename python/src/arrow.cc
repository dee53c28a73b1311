// The interface is two structs, told at https://arrow.apache.org/docs/format/CDataInterface.html: a
// schema says what an array is, the array points to its buffers. Whoever takes one calls its
// `release` in the end, from whichever thread.

#include "arrow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/error.h"

namespace nb = nanobind;

// Names and order of members are the interface's.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}

namespace sheaf::python {
namespace {

constexpr std::int64_t kNullable = 2;  // a flag of the interface

/// An array and its type, before it is handed over.
struct Node {
  std::string format = {};
  std::string name = {};
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::vector<const void*> buffers = {};  // validity first, null where all are valid
  std::vector<Node> children = {};
  std::vector<std::shared_ptr<const void>> owned = {};  // of the buffers, what no minibatch has
};

// What a struct that was handed over owns, its children included.
template <typename Arrow>
struct Exported {
  Node node;
  nb::object owner;  // the minibatch; of an array alone
  std::vector<std::unique_ptr<Arrow>> children;
  std::vector<Arrow*> pointers;
};

template <typename Arrow>
void release(Arrow* arrow) {
  auto* const exported = static_cast<Exported<Arrow>*>(arrow->private_data);
  for (const std::unique_ptr<Arrow>& child : exported->children) {
    if (child->release != nullptr) child->release(child.get());
  }
  arrow->release = nullptr;
  const nb::gil_scoped_acquire acquire;  // for the owner
  delete exported;
}

// Fill what schemas and arrays have in common, with the children that `export_child` makes.
template <typename Arrow, typename F>
Exported<Arrow>* hand_over(const Node& node, nb::object owner, Arrow& to, F&& export_child) {
  auto exported =
      std::make_unique<Exported<Arrow>>(Exported<Arrow>{node, std::move(owner), {}, {}});
  for (const Node& child : node.children) {
    exported->children.push_back(std::make_unique<Arrow>());
    export_child(child, *exported->children.back());
    exported->pointers.push_back(exported->children.back().get());
  }
  to.n_children = static_cast<std::int64_t>(exported->children.size());
  to.children = exported->pointers.data();
  to.dictionary = nullptr;
  to.release = release<Arrow>;
  to.private_data = exported.get();
  return exported.release();
}

void export_schema(const Node& node, ArrowSchema& to) {
  const auto* const exported = hand_over(node, {}, to, export_schema);
  to.format = exported->node.format.c_str();
  to.name = exported->node.name.c_str();
  to.metadata = nullptr;
  to.flags = node.null_count > 0 ? kNullable : 0;
}

void export_array(const Node& node, const nb::object& owner, ArrowArray& to) {
  auto* const exported = hand_over(node, owner, to, [&](const Node& child, ArrowArray& to_child) {
    export_array(child, owner, to_child);
  });
  to.length = node.length;
  to.null_count = node.null_count;
  to.offset = 0;
  to.n_buffers = static_cast<std::int64_t>(exported->node.buffers.size());
  to.buffers = exported->node.buffers.data();
}

template <typename Arrow>
nb::object capsule(std::unique_ptr<Arrow> arrow, const char* name) {
  nb::object made = nb::steal(PyCapsule_New(arrow.get(), name, [](PyObject* self) {
    auto* const held = static_cast<Arrow*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  }));
  if (!made.is_valid()) throw nb::python_error();
  static_cast<void>(arrow.release());
  return made;
}

const char* format_of(const Stream& stream, ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "C";
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
    case ElementType::bytes:
      break;
  }
  throw ConfigError("stream \"" + stream.name + "\": values of bytes are not handed to Arrow");
}

Node values_of(const Buffer& buffer, const char* format, std::int64_t length, std::string name) {
  return {.format = format,
          .name = std::move(name),
          .length = length,
          .buffers = {nullptr, buffer.data()}};
}

Node list_of(Node item, const Buffer& offsets, std::int64_t length) {
  return {.format = "+L",
          .name = "item",
          .length = length,
          .buffers = {nullptr, offsets.data()},
          .children = {std::move(item)}};
}

// The samples of a stream, one after the other.
Node samples_of(const Stream& stream, const StreamBatch& batch) {
  const std::int64_t rows = batch.row_count();
  const char* const format = format_of(stream, stream.element_type);
  if (stream.storage == Storage::sparse) {
    const std::int64_t count = batch.indices.size_bytes() / element_size(stream.index_type);
    Node entry{.format = "+s", .name = "item", .length = count, .buffers = {nullptr}};
    entry.children.push_back(
        values_of(batch.indices, format_of(stream, stream.index_type), count, "index"));
    entry.children.push_back(values_of(batch.values, format, count, "value"));
    return list_of(std::move(entry), batch.row_offsets, rows);
  }
  if (!stream.sample_shape.is_fixed()) {
    throw ConfigError("stream \"" + stream.name + "\": its shape varies, which Arrow is not given");
  }
  const std::int64_t size = stream.sample_shape.size();
  Node values = values_of(batch.values, format, rows * size, "item");
  if (size == 1) return values;
  return {.format = "+w:" + std::to_string(size),
          .name = "item",
          .length = rows,
          .buffers = {nullptr},
          .children = {std::move(values)}};
}

// Bits instead of bytes.
void set_presence(const Buffer& presence, Node& node) {
  if (presence.size_bytes() == 0) return;
  const auto bits =
      std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(node.length + 7) / 8);
  for (std::size_t i = 0; i < static_cast<std::size_t>(node.length); ++i) {
    if (presence.data()[i] != std::byte{0}) {
      (*bits)[i / 8] = static_cast<std::uint8_t>((*bits)[i / 8] | (1U << (i % 8)));
    } else {
      ++node.null_count;
    }
  }
  node.buffers[0] = bits->data();
  node.owned.emplace_back(bits);
}

Node column_of(const Stream& stream, const StreamBatch& batch) {
  if (batch.layout != Layout::ragged && batch.layout != Layout::frames) {
    throw ConfigError("Arrow takes minibatches of the packing \"ragged\" or \"frames\": got \"" +
                      std::string(to_string(batch.layout)) + '"');
  }
  Node column = samples_of(stream, batch);
  if (batch.layout == Layout::ragged) {
    column = list_of(std::move(column), batch.sequence_offsets, batch.sequence_count);
  }
  column.name = stream.name;
  set_presence(batch.presence, column);
  return column;
}

bool is_utf8(const std::string& text) {
  const nb::object decoded =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
  if (!decoded.is_valid()) PyErr_Clear();
  return decoded.is_valid();
}

Node keys_of(const Minibatch& minibatch) {
  Node node{.format = "L", .name = "sequence_key", .length = minibatch.sequence_count()};
  const auto hold = [&node](auto values) {
    const auto held = std::make_shared<decltype(values)>(std::move(values));
    node.buffers.push_back(held->data());
    node.owned.emplace_back(held);
  };
  node.buffers.push_back(nullptr);
  if (minibatch.key_texts().empty()) {
    std::vector<std::uint64_t> numbers;
    for (const SequenceKey& key : minibatch.keys()) numbers.push_back(key.low);
    hold(std::move(numbers));
    return node;
  }
  const bool are_texts = std::ranges::all_of(minibatch.key_texts(), is_utf8);
  node.format = are_texts ? "U" : "Z";  // Z: bytes
  std::vector<std::int64_t> offsets = {0};
  std::string text;
  for (const std::string& key : minibatch.key_texts()) {
    text += key;
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  hold(std::move(offsets));
  hold(std::move(text));
  return node;
}

}  // namespace

nb::tuple arrow_capsules(nb::handle_t<Minibatch> self) {
  const auto& minibatch = nb::cast<const Minibatch&>(self);
  Node root{.format = "+s", .name = "", .length = minibatch.sequence_count(), .buffers = {nullptr}};
  root.children.push_back(keys_of(minibatch));
  for (std::size_t i = 0; i < minibatch.streams().size(); ++i) {
    root.children.push_back(
        column_of(minibatch.streams()[i], minibatch.batch(static_cast<std::int64_t>(i))));
  }
  auto schema = std::make_unique<ArrowSchema>();
  export_schema(root, *schema);
  nb::object schema_capsule = capsule(std::move(schema), "arrow_schema");
  auto array = std::make_unique<ArrowArray>();
  export_array(root, nb::borrow(self), *array);
  return nb::make_tuple(std::move(schema_capsule), capsule(std::move(array), "arrow_array"));
}

}  // namespace sheaf::python
