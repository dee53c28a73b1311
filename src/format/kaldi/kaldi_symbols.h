// The words of a symbol table, and their ids.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sheaf/extend/byte_source.h"

namespace sheaf::kaldi {

/// A symbol table, such as Kaldi's `words.txt`: a line `word id` for each word.
///
/// Cost: about 100 bytes of memory for each word.
class Symbols {
 public:
  /// Reads a table. Skips blank lines. Several words may have the same id.
  ///
  /// Throws: IoError; DataError that names the line, for a line that is not a word and an id from 0
  ///         to 2147483647, for a repeated word, and for a table without words.
  explicit Symbols(const ByteSource& source);

  /// Returns the id of a word, or nothing if the table does not have the word.
  [[nodiscard]] std::optional<std::int32_t> find(std::string_view word) const noexcept;

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(ids_.size());
  }

  /// Returns a text that differs for tables with different bytes.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const noexcept {
      return std::hash<std::string_view>{}(word);
    }
  };

  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
  std::string fingerprint_;
};

}  // namespace sheaf::kaldi
