// Numbers the texts in the dictionaries of all batches.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

  /// The dictionary of one batch: the first `count` ids of a list.
  struct Dictionary {
    std::size_t list = 0;
    std::size_t count = 0;

    [[nodiscard]] bool operator==(const Dictionary&) const = default;
  };

  struct Parts {
    std::vector<std::string> names = {};
    std::vector<Ids> lists = {};
    std::vector<Dictionary> dictionaries = {};  // of each batch
  };

  /// Reads the dictionaries of all batches, but no rows. `text_format` is the format of the
  /// dictionary's values.
  ///
  /// Throws: DataError if a dictionary's texts lie outside their buffer, or if there are more than
  ///         2^31 - 1 of them; IoError.
  Vocabulary(const ArrowBatches& batches, std::int64_t column, const std::string& text_format);

  /// Pre: each id is kNull or the number of a name, and each dictionary lies within its list.
  explicit Vocabulary(Parts parts);

  /// Returns the names of the classes.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::string>>& names() const noexcept {
    return names_;
  }

  /// Returns the lists of ids. A dictionary that begins with the dictionary before, or that is such
  /// a beginning, shares its list.
  [[nodiscard]] const std::vector<Ids>& lists() const noexcept { return lists_; }

  /// Returns the dictionary of each batch.
  [[nodiscard]] const std::vector<Dictionary>& dictionaries() const noexcept {
    return dictionaries_;
  }

  /// Pre: the batch exists.
  [[nodiscard]] std::span<const std::int32_t> ids(std::int64_t batch) const noexcept {
    const Dictionary& dictionary = dictionaries_[static_cast<std::size_t>(batch)];
    return std::span(lists_[dictionary.list]).first(dictionary.count);
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] std::optional<std::int32_t> id_before(std::int64_t number, std::string_view text,
                                                      const std::vector<std::string>& names) const;
  void add(Ids ids);

  std::shared_ptr<const std::vector<std::string>> names_;
  std::vector<Ids> lists_;
  std::vector<Dictionary> dictionaries_;
};

}  // namespace sheaf::columns
