// A file of one column that a test damages.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "sheaf/extend/byte_source.h"

#include "format/arrow/ipc_messages.h"
#include "format/arrow/ipc_test_files.h"

namespace sheaf::arrow::testing {

/// A file written by pyarrow. A test can change nodes and buffers of a column in the first batch.
class DamagedBatch {
 public:
  explicit DamagedBatch(std::string_view file) : bytes_(bytes_of(file)) {}

  /// Returns the offset and the content of a node or a buffer in the metadata.
  [[nodiscard]] IpcPair node(std::string_view path) const {
    return with_header(
        [&](const IpcBatchHeader& header, const IpcField& field) { return header.node(field); },
        path);
  }
  [[nodiscard]] IpcPair buffer(std::string_view path, std::int64_t number) const {
    return with_header([&](const IpcBatchHeader& header,
                           const IpcField& field) { return header.buffer(field, number); },
                       path);
  }

  /// Returns the offset of a buffer in the file.
  [[nodiscard]] std::int64_t body_location(std::string_view path, std::int64_t number) const {
    const auto source = memory_source(bytes_, "t");
    return find_messages(*source).batches.front().body_offset() + buffer(path, number).first;
  }

  template <typename T>
  void set(std::int64_t location, T value) {
    std::memcpy(bytes_.data() + location, &value, sizeof value);
  }

  [[nodiscard]] std::shared_ptr<const ArrowBatches> open() const { return table_of(bytes_); }

 private:
  static const IpcField* found(const std::vector<IpcField>& fields, std::string_view path) {
    for (const IpcField& field : fields) {
      if (field.path == path) return &field;
      if (const IpcField* const child = found(field.children, path)) return child;
    }
    return nullptr;
  }

  template <typename Query>
  [[nodiscard]] IpcPair with_header(const Query& query, std::string_view path) const {
    const auto source = memory_source(bytes_, "t");
    const IpcFile file = find_messages(*source);
    const IpcLocation& location = file.batches.front();
    const IpcMetadata metadata(*source, location);
    const IpcBatchHeader header(metadata.header(IpcKind::batch), file.schema.all,
                                location.body_bytes);
    const IpcField* const field = found(file.schema.columns, path);
    if (field == nullptr) throw std::out_of_range("no field");
    return query(header, *field);
  }

  std::string bytes_;
};

}  // namespace sheaf::arrow::testing
