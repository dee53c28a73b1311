/// \file
/// Lines of a toy list: "key path offset count". A count of "?" is unknown.

#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/listed/list_scan.h"

namespace sheaf::testing {

class ToyLines {
 public:
  [[nodiscard]] static bool has_plain() { return false; }
  [[nodiscard]] static internal::ScannedLine parse_plain(const char* /*line*/) { return {}; }
  [[nodiscard]] static bool is_blank(std::string_view line) { return line.empty(); }

  [[nodiscard]] static internal::ScannedLine parse(std::string_view line) {
    std::vector<std::string_view> fields;
    while (!line.empty()) {
      fields.push_back(line.substr(0, line.find(' ')));
      line.remove_prefix(std::min(line.size(), fields.back().size() + 1));
    }
    internal::ScannedLine scanned{.key = fields[0], .count = 0, .is_good = fields.size() == 4};
    if (!scanned.is_good) return scanned;
    scanned.path = fields[1];
    scanned.location = number_of(fields[2]);
    scanned.count = fields[3] == "?" ? internal::ListEntry::kUnknownCount
                                     : static_cast<std::uint32_t>(number_of(fields[3]));
    return scanned;
  }

  [[nodiscard]] static std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
};

}  // namespace sheaf::testing
