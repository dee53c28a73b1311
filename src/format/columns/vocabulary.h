// Numbers the texts in the dictionaries of all batches.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/types.h"

namespace sheaf::columns {

/// The classes of a column. Classes are numbered by first occurrence in the dictionaries, in the
/// order of the batches.
class Vocabulary {
 public:
  /// Class ids by the numbers in a dictionary. Entries that are null have kNull.
  using Ids = std::vector<std::int32_t>;
  static constexpr std::int32_t kNull = -1;

  /// Reads the dictionaries of all batches, but no rows. `text_format` is the format of the
  /// dictionary's values.
  ///
  /// Throws: DataError if a dictionary's texts lie outside their buffer, or if there are more than
  ///         2^31 - 1 of them; IoError.
  Vocabulary(const ArrowBatches& batches, std::int64_t column, const std::string& text_format);

  /// Returns the names of the classes.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::string>>& names() const noexcept {
    return names_;
  }

  /// Pre: the batch exists.
  [[nodiscard]] const Ids& ids(std::int64_t batch) const noexcept {
    return *ids_[static_cast<std::size_t>(batch)];
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
  std::vector<std::shared_ptr<const Ids>> ids_;  // for each batch; batches share equal ones
  std::int64_t memory_bytes_ = 0;
};

}  // namespace sheaf::columns
