// Parses the lines of a list for a scan.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/htk/htk_list.h"
#include "format/listed/list_scan.h"

namespace sheaf::htk {

/// Parses lines for internal::ListScan. The location of an utterance is the number of its first
/// frame.
///
/// Lifetime: `rules` must outlive the HtkLines.
class HtkLines {
 public:
  using ScannedLine = internal::ScannedLine;

  explicit HtkLines(const ListRules& rules) : rules_(rules) {}

  [[nodiscard]] bool has_plain() const { return rules_.prefix.empty(); }

  [[nodiscard]] static ScannedLine parse_plain(const char* line) {
    const PlainListLine plain = parse_plain_line(line);
    return {.end = plain.end,
            .key = plain.key,
            .path = plain.path,
            .location = plain.first,
            .count = static_cast<std::uint32_t>(plain.last - plain.first + 1),
            .is_good = true};
  }

  [[nodiscard]] static bool is_blank(std::string_view line) { return is_blank_line(line); }

  [[nodiscard]] ScannedLine parse(std::string_view text) {
    const ListLine line = parse_list_line(text, rules_, scratch_);
    ScannedLine scanned{.key = line.key, .path = line.path, .is_good = line.fault == nullptr};
    if (!scanned.is_good) {
      scanned.count = 0;
      return scanned;
    }
    scanned.location = line.first;
    const std::int64_t count = line.frame_count();
    if (count != ListLine::kToEnd) scanned.count = static_cast<std::uint32_t>(count);
    return scanned;
  }

 private:
  const ListRules& rules_;
  std::string scratch_;
};

}  // namespace sheaf::htk
