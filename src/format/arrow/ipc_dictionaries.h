// The values of dictionaries, read when an array needs them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/byte_source.h"

#include "format/arrow/ipc_messages.h"

namespace sheaf::arrow {

/// The dictionaries of a file. A dictionary of a stream can change between batches of rows: a batch
/// of values replaces the dictionary, or appends to the values.
///
/// Threads: safe.
class IpcDictionaries {
 public:
  /// Throws:   DataError where a dictionary of a file, which is no stream, is replaced, or where
  ///           values are appended to nothing.
  /// Lifetime: the source and the file must outlive this object.
  IpcDictionaries(const ByteSource& source, const IpcFile& file);

  /// Returns the values of a dictionary, by its number in IpcSchema::dictionaries, as the first
  /// `batches_before` batches of values have made it. Returns the same object for the same values,
  /// where they were asked for lately. `may_be_absent`: whether no values at all are needed.
  ///
  /// Throws: DataError, IoError.
  [[nodiscard]] std::shared_ptr<const ArrowNode> values(std::size_t dictionary,
                                                        std::int64_t batches_before,
                                                        bool may_be_absent) const;

 private:
  // A run of batches of values, as numbers in IpcFile::dictionaries.
  using Batches = std::vector<std::size_t>;

  struct Kept {
    std::size_t last_batch;
    std::shared_ptr<const ArrowNode> values;
  };

  [[nodiscard]] Batches batches_of(std::int64_t id, std::int64_t batches_before) const;
  [[nodiscard]] std::shared_ptr<const ArrowNode> read(const IpcDictionary& dictionary,
                                                      const Batches& batches) const;
  [[nodiscard]] ArrowNode read_batch(const IpcDictionary& dictionary, std::size_t batch) const;

  const ByteSource& source_;
  const IpcFile& file_;
  std::map<std::int64_t, Batches> batches_;  // of each id

  mutable std::mutex mutex_;
  mutable std::vector<std::vector<Kept>> kept_;  // of each dictionary, the latest last
};

}  // namespace sheaf::arrow
