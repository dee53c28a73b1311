#include "arrow/arrow_node.h"

#include <cstring>
#include <utility>

namespace sheaf::python {
namespace {

constexpr std::int64_t kNullable = 2;  // a flag of the interface

// What a struct that was handed over owns, its children included.
template <typename Arrow>
struct Exported {
  ArrowNode node;
  std::shared_ptr<const void> owner;  // of an array alone
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
  delete exported;
}

// Fill what schemas and arrays have in common, with the children that `export_child` makes.
template <typename Arrow, typename F>
Exported<Arrow>* hand_over(const ArrowNode& node, std::shared_ptr<const void> owner, Arrow& to,
                           F&& export_child) {
  auto exported =
      std::make_unique<Exported<Arrow>>(Exported<Arrow>{node, std::move(owner), {}, {}});
  for (const ArrowNode& child : node.children) {
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

void append(std::string& bytes, const std::string& text) {
  const auto size = static_cast<std::int32_t>(text.size());
  char encoded[sizeof size];
  std::memcpy(encoded, &size, sizeof size);
  bytes.append(encoded, sizeof size).append(text);
}

}  // namespace

std::string arrow_metadata(const std::string& key, const std::string& value) {
  const std::int32_t count = 1;
  std::string bytes(sizeof count, '\0');
  std::memcpy(bytes.data(), &count, sizeof count);
  append(bytes, key);
  append(bytes, value);
  return bytes;
}

void export_schema(const ArrowNode& node, ArrowSchema& to) {
  const auto* const exported = hand_over(node, nullptr, to, export_schema);
  const ArrowNode& kept = exported->node;
  to.format = kept.format.c_str();
  to.name = kept.name.c_str();
  to.metadata = kept.metadata.empty() ? nullptr : kept.metadata.data();
  to.flags = kept.is_nullable ? kNullable : 0;
}

void export_array(const ArrowNode& node, const std::shared_ptr<const void>& owner, ArrowArray& to) {
  auto* const exported = hand_over(
      node, owner, to,
      [&](const ArrowNode& child, ArrowArray& to_child) { export_array(child, owner, to_child); });
  to.length = node.length;
  to.null_count = node.null_count;
  to.offset = 0;
  to.n_buffers = static_cast<std::int64_t>(exported->node.buffers.size());
  to.buffers = exported->node.buffers.data();
}

}  // namespace sheaf::python
