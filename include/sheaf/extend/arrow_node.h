/// \file
/// Builds arrays and types of the Arrow C data interface.
///
///     const std::int32_t numbers[] = {1, 2, 3};
///     const sheaf::ArrowNode node = {
///         .format = "i", .name = "n", .length = 3, .buffers = {nullptr, numbers}};
///     ArrowArray array = {};
///     sheaf::export_array(node, nullptr, array);
///     std::cout << array.length << '\n';  // 3
///     array.release(&array);

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/arrow_interface.h"

namespace sheaf {

/// An array and its type, before the caller hands them over.
struct ArrowNode {
  std::string format = {};
  std::string name = {};
  std::string metadata = {};  // as the interface has it
  bool is_nullable = false;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::vector<const void*> buffers = {};  // validity first, null where all are valid
  std::vector<ArrowNode> children = {};
  std::vector<ArrowNode> dictionary = {};               // one, or none
  std::vector<std::shared_ptr<const void>> owned = {};  // of the buffers, what the owner has not
};

/// Returns keys and values as ArrowSchema::metadata has them.
[[nodiscard]] std::string arrow_metadata(
    const std::vector<std::pair<std::string, std::string>>& entries);

/// Hands over the type.
///
/// Pre: `to` holds nothing.
void export_schema(const ArrowNode& node, ArrowSchema& to);

/// Hands over the array, which keeps `owner`. The array may be released on any thread.
///
/// Pre:      `to` holds nothing.
/// Lifetime: the buffers must live as long as `owner` and ArrowNode::owned, or as long as the
/// array.
void export_array(const ArrowNode& node, const std::shared_ptr<const void>& owner, ArrowArray& to);

}  // namespace sheaf
