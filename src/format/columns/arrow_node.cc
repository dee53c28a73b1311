#include "sheaf/extend/arrow_node.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace sheaf {
namespace {

// The data that an exported struct owns, including its children.
template <typename Arrow>
struct Exported {
  ArrowNode node;                     // without children and dictionary
  std::shared_ptr<const void> owner;  // of arrays only
  std::vector<std::unique_ptr<Arrow>> children;
  std::vector<Arrow*> pointers;
  std::unique_ptr<Arrow> dictionary;
};

// Returns the node without its children and its dictionary, which have their own owners.
ArrowNode node_alone(const ArrowNode& node) {
  return {.format = node.format,
          .name = node.name,
          .metadata = node.metadata,
          .is_nullable = node.is_nullable,
          .length = node.length,
          .null_count = node.null_count,
          .offset = node.offset,
          .buffers = node.buffers,
          .owned = node.owned};
}

template <typename Arrow>
void release(Arrow* arrow) {
  auto* const exported = static_cast<Exported<Arrow>*>(arrow->private_data);
  for (const std::unique_ptr<Arrow>& child : exported->children) {
    if (child->release != nullptr) child->release(child.get());
  }
  const auto& dictionary = exported->dictionary;
  if (dictionary && dictionary->release != nullptr) dictionary->release(dictionary.get());
  arrow->release = nullptr;
  delete exported;
}

// Fills the members that schemas and arrays share. `export_child` makes the children.
template <typename Arrow, typename F>
Exported<Arrow>* hand_over(const ArrowNode& node, std::shared_ptr<const void> owner, Arrow& to,
                           F&& export_child) {
  auto exported = std::make_unique<Exported<Arrow>>(
      Exported<Arrow>{node_alone(node), std::move(owner), {}, {}, nullptr});
  for (const ArrowNode& child : node.children) {
    exported->children.push_back(std::make_unique<Arrow>());
    export_child(child, *exported->children.back());
    exported->pointers.push_back(exported->children.back().get());
  }
  to.n_children = static_cast<std::int64_t>(exported->children.size());
  to.children = exported->pointers.data();
  if (!node.dictionary.empty()) {
    exported->dictionary = std::make_unique<Arrow>();
    export_child(node.dictionary.front(), *exported->dictionary);
  }
  to.dictionary = exported->dictionary.get();
  to.release = release<Arrow>;
  to.private_data = exported.get();
  return exported.release();
}

void append(std::string& bytes, std::int32_t number) {
  char encoded[sizeof number];
  std::memcpy(encoded, &number, sizeof number);
  bytes.append(encoded, sizeof encoded);
}

void append(std::string& bytes, const std::string& text) {
  append(bytes, static_cast<std::int32_t>(text.size()));
  bytes.append(text);
}

}  // namespace

std::string arrow_metadata(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes;
  append(bytes, static_cast<std::int32_t>(entries.size()));
  for (const auto& [key, value] : entries) {
    append(bytes, key);
    append(bytes, value);
  }
  return bytes;
}

void export_schema(const ArrowNode& node, ArrowSchema& to) {
  const auto* const exported = hand_over(node, nullptr, to, export_schema);
  const ArrowNode& kept = exported->node;
  to.format = kept.format.c_str();
  to.name = kept.name.c_str();
  to.metadata = kept.metadata.empty() ? nullptr : kept.metadata.data();
  to.flags = kept.is_nullable ? ARROW_FLAG_NULLABLE : 0;
}

void export_array(const ArrowNode& node, const std::shared_ptr<const void>& owner, ArrowArray& to) {
  auto* const exported = hand_over(
      node, owner, to,
      [&](const ArrowNode& child, ArrowArray& to_child) { export_array(child, owner, to_child); });
  to.length = node.length;
  to.null_count = node.null_count;
  to.offset = node.offset;
  to.n_buffers = static_cast<std::int64_t>(exported->node.buffers.size());
  to.buffers = exported->node.buffers.data();
}

}  // namespace sheaf
