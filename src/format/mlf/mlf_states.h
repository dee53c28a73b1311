// The names of states.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::mlf {

/// The largest id, and one more.
inline constexpr std::int64_t kIdCount = 65'536;

/// A state list: the id of a name is the number of its line among the lines that are not empty.
class States {
 public:
  /// Throws: IoError; DataError that names the line.
  explicit States(const ByteSource& source);

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(names_.size());
  }

  /// Returns the id of a name; -1 where the list has no such name.
  [[nodiscard]] std::int64_t find(std::string_view name) const noexcept;

  /// Returns a text that differs where names or their order differ.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view name) const noexcept;

  std::vector<std::string> names_;
  std::vector<std::int32_t> slots_;  // ids, at most half of them taken; -1: free
  std::string fingerprint_;
};

}  // namespace sheaf::mlf
