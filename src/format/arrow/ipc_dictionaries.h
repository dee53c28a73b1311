// Reads the values of dictionaries when an array needs them.

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

/// The dictionaries of a file. In a stream, a dictionary can change between batches of rows: a
/// batch of values replaces the dictionary, or appends to it.
///
/// Threads: safe.
class IpcDictionaries {
 public:
  /// Throws:   DataError if a dictionary is replaced in a file that is not a stream, or if values
  ///           are appended to nothing.
  /// Lifetime: the source and the file must outlive the IpcDictionaries.
  IpcDictionaries(const ByteSource& source, const IpcFile& file);

  /// Returns the values of a dictionary after the first `batches_before` batches of values. The
  /// dictionary is given by its number in IpcSchema::dictionaries. Returns the same object for the
  /// same values if they were requested recently. `may_be_absent` says whether no values at all are
  /// needed.
  ///
  /// Throws: DataError, IoError.
  [[nodiscard]] std::shared_ptr<const ArrowNode> values(std::size_t dictionary,
                                                        std::int64_t batches_before,
                                                        bool may_be_absent) const;

 private:
  // A run of batches of values, by their numbers in IpcFile::dictionaries.
  using Batches = std::vector<std::size_t>;

  struct Kept {
    std::size_t last_batch;
    std::shared_ptr<const ArrowNode> values;
  };

  [[nodiscard]] Batches batches_of(std::int64_t id, std::int64_t batches_before) const;
  [[nodiscard]] std::shared_ptr<const ArrowNode> read(const IpcDictionary& dictionary,
                                                      const Batches& batches,
                                                      const std::vector<Kept>& kept) const;
  [[nodiscard]] ArrowNode read_batch(const IpcDictionary& dictionary, std::size_t batch) const;

  const ByteSource& source_;
  const IpcFile& file_;
  std::map<std::int64_t, Batches> batches_;  // by dictionary id

  mutable std::mutex mutex_;
  mutable std::vector<std::vector<Kept>> kept_;  // for each dictionary, most recent last
};

}  // namespace sheaf::arrow
