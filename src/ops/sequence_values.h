// Reads one number from each sequence.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The first value of a stream in each sequence, or the first index for a sparse stream.
///
/// Cost: 4 bytes of memory for each sequence.
class SequenceValues {
 public:
  /// Reads all data. `done`, unless empty, receives the current offset in the file.
  ///
  /// Throws: ConfigError if the stream does not exist, has no numbers, or has the same number in
  ///         all sequences; IoError; DataError.
  SequenceValues(const Deserializer& data, Executor& executor, const std::string& stream,
                 const std::function<void(std::int64_t)>& done);

  /// Returns the number of a sequence, or NaN if the sequence is a hole or has no value.
  ///
  /// Pre: the sequence exists.
  [[nodiscard]] double operator()(ChunkIndex chunk, std::int64_t sequence) const {
    return values_[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(sequence)];
  }

 private:
  std::vector<std::vector<float>> values_;  // [chunk][sequence]
};

}  // namespace sheaf::internal
