// One number for each sequence.

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

/// The first value of a stream in each sequence; of a sparse stream, the first index.
///
/// Cost: 4 bytes of memory a sequence.
class SequenceValues {
 public:
  /// Reads all of the data. `done`, if any, is told where in the file the reading is.
  ///
  /// Throws: ConfigError where there is no such stream, or the stream has no numbers, or all its
  ///         numbers are equal; IoError, DataError.
  SequenceValues(const Deserializer& data, Executor& executor, const std::string& stream,
                 const std::function<void(std::int64_t)>& done);

  /// Returns the number of a sequence, or NaN where the sequence has none or is left out.
  ///
  /// Pre: the sequence exists.
  [[nodiscard]] double operator()(ChunkIndex chunk, std::int64_t sequence) const {
    return values_[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(sequence)];
  }

 private:
  std::vector<std::vector<float>> values_;  // [chunk][sequence]
};

}  // namespace sheaf::internal
