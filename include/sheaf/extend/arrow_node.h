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

/// An array and its type, before the export.
struct ArrowNode {
  std::string format = {};
  std::string name = {};
  std::string metadata = {};  // in the encoding of the interface
  bool is_nullable = false;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::vector<const void*> buffers = {};  // validity first; null if all are valid
  std::vector<ArrowNode> children = {};
  std::vector<ArrowNode> dictionary = {};               // one, or none
  std::vector<std::shared_ptr<const void>> owned = {};  // keeps buffers alive that the owner does
                                                        // not
};

/// Encodes keys and values for ArrowSchema::metadata.
[[nodiscard]] std::string arrow_metadata(
    const std::vector<std::pair<std::string, std::string>>& entries);

/// Exports the type.
///
/// Pre: `to` holds nothing.
void export_schema(const ArrowNode& node, ArrowSchema& to);

/// Exports the array, which keeps `owner` alive. Any thread may release the array.
///
/// Pre:      `to` holds nothing.
/// Lifetime: `owner` and ArrowNode::owned keep the buffers alive; other buffers must outlive the
///           array.
void export_array(const ArrowNode& node, const std::shared_ptr<const void>& owner, ArrowArray& to);

}  // namespace sheaf
