// Reads arrays from the body of a record batch.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sheaf/extend/arrow_node.h"

#include "format/arrow/ipc_buffers.h"
#include "format/arrow/ipc_message.h"
#include "format/arrow/ipc_schema.h"
#include "format/arrow/offset_checks.h"

namespace sheaf::arrow {

/// How to read arrays of one body.
struct BodyOptions {
  std::int64_t body_offset = 0;  // byte of the file

  /// As ArrowPart::lengths_only.
  bool lengths_only = false;

  /// Returns the values of a dictionary, given its number in IpcSchema::dictionaries, and whether
  /// all values of the array are null. If empty, arrays have no values of their dictionaries.
  std::function<std::shared_ptr<const ArrowNode>(std::size_t dictionary, bool is_all_null)>
      dictionary = {};
};

/// Reads arrays of one body. The bytes of several arrays are read together. Each level of offsets
/// that lead to further bytes takes one more round.
///
/// Buffers of a part of an array begin with its first value, so bits are shifted, and offsets and
/// views are adjusted. A compressed buffer is decompressed whole, so arrays of such a body have all
/// values.
class BodyReader {
 public:
  /// Lifetime: the header must outlive the reader.
  BodyReader(const IpcBatchHeader& header, BodyOptions options);

  /// Requests values of a column.
  ///
  /// Pre:      `rows` lie within the batch.
  /// Lifetime: `to` must not move until run() returns.
  /// Throws:   DataError if lengths or buffers are impossible.
  void add(const IpcField& column, ValueRange rows, ArrowNode& to);

  /// Reads the requested values.
  ///
  /// Throws: DataError, IoError.
  void run();

 private:
  // An array whose bytes are being read.
  struct Part {
    static constexpr std::size_t kNone = SIZE_MAX;

    const IpcField* field;
    ArrowNode* to;
    ValueRange rows;
    IpcPair node;
    std::size_t validity = kNone;         // numbers of reads, as are the next ones
    std::size_t values = kNone;           // or offsets, or types of a union
    std::size_t sizes = kNone;            // of list views; offsets of a dense union
    std::vector<std::size_t> bytes = {};  // of texts and views
    bool is_second_round = false;         // only bytes are left to read

    [[nodiscard]] bool is_whole() const noexcept {
      return rows.begin == 0 && rows.end == node.first;
    }
    [[nodiscard]] std::int64_t count() const noexcept { return rows.size(); }
  };

  void add_part(const IpcField& field, ValueRange rows, ArrowNode& to);
  void add_child(const Part& part, std::size_t child, ValueRange rows);
  void add_children(const Part& part, ValueRange rows);
  void add_all_of_child(const Part& part, std::size_t child);

  void ask(Part& part);
  void ask_for_lists(Part& part);
  void ask_for_texts(Part& part);
  [[nodiscard]] std::size_t ask_for_bits(const Part& part, std::int64_t buffer);
  [[nodiscard]] std::size_t ask_for_values(const Part& part, std::int64_t buffer,
                                           std::int64_t width, std::int64_t more = 0);
  [[nodiscard]] std::size_t ask_for_bytes(const Part& part, std::int64_t buffer, ValueRange bytes);
  void ask_for_all_bytes(Part& part);
  [[nodiscard]] std::size_t want(const Part& part, std::int64_t buffer, ValueRange bytes,
                                 std::int64_t least, std::int64_t alignment);

  void take(Part& part);
  void take_lists(Part& part);
  void take_list_views(Part& part);
  void take_texts(Part& part);
  void take_views(Part& part);
  void take_bytes(Part& part);
  void take_dictionary(const Part& part);
  [[nodiscard]] const std::byte* taken(const Part& part, std::size_t number) const;
  [[nodiscard]] const std::byte* taken_bits(const Part& part, std::size_t number) const;
  [[nodiscard]] ValueRange take_offsets(const Part& part, std::int64_t limit);
  [[nodiscard]] std::vector<std::int64_t> view_buffer_sizes(const Part& part) const;
  [[nodiscard]] std::int64_t child_length(const Part& part) const;
  [[nodiscard]] std::int64_t text_bytes_max(const Part& part) const;
  [[nodiscard]] std::int64_t union_begin(const Part& part) const noexcept;

  const IpcBatchHeader& header_;
  const BodyOptions options_;
  BufferReads reads_;
  std::vector<Part> waiting_;
};

}  // namespace sheaf::arrow
