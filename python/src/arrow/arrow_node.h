/// \file
/// Arrow arrays and types under construction.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/arrow_interface.h"

namespace sheaf::python {

/// An array and its type, before it is handed over.
struct ArrowNode {
  std::string format = {};
  std::string name = {};
  std::string metadata = {};  // as the interface has it
  bool is_nullable = false;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::vector<const void*> buffers = {};  // validity first, null where all are valid
  std::vector<ArrowNode> children = {};
  std::vector<std::shared_ptr<const void>> owned = {};  // of the buffers, what the owner has not
};

/// One key and its value, as ArrowNode::metadata.
[[nodiscard]] std::string arrow_metadata(const std::string& key, const std::string& value);

/// Hand over the type.
void export_schema(const ArrowNode& node, ArrowSchema& to);

/// Hand over the array, which keeps `owner`. It may be released on any thread.
void export_array(const ArrowNode& node, const std::shared_ptr<const void>& owner, ArrowArray& to);

}  // namespace sheaf::python
