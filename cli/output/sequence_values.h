/// \file
/// One number for each sequence.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// What a stream has first in each sequence: its first value; of a sparse stream, its first index.
///
/// Memory: 4 bytes a sequence.
class SequenceValues {
 public:
  /// Read all of the data.
  ///
  /// `done` is told where in the file the reading is.
  /// Throws: ConfigError where there is no such stream, it has no numbers, or all are equal;
  ///         IoError, DataError.
  SequenceValues(const Deserializer& data, Executor& executor, const std::string& stream,
                 const std::function<void(std::int64_t)>& done);

  /// NaN where the sequence has none, or is left out.
  ///
  /// Pre: there is such a sequence.
  [[nodiscard]] double operator()(ChunkIndex chunk, std::int64_t sequence) const {
    return values_[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(sequence)];
  }

 private:
  std::vector<std::vector<float>> values_;  // [chunk][sequence]
};

}  // namespace sheaf::cli
