#include "sheaf/extend/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace sheaf {
namespace {

// The time of a comparison grows with the product of the lengths. Longer names are not typed by
// people.
constexpr std::size_t kSizeMax = 100;

std::string folded(std::string_view name) {
  std::string lower(name);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

// Returns how many letters to insert, drop, change or swap with the next one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view written, std::span<const std::string> known) {
  if (written.size() > kSizeMax) return "";
  const std::string typed = folded(written);
  const std::size_t near = 1 + typed.size() / 4;  // a name with more changes is another word
  std::string best;
  std::size_t best_distance = near + 1;
  for (const std::string& name : known) {
    if (name.size() > kSizeMax) continue;
    const std::string lower = folded(name);
    // The beginning of a name counts as near, too, if it is long enough.
    const bool begins = typed.size() > 3 && lower.starts_with(typed);
    if (!begins &&
        std::max(lower.size(), typed.size()) > std::min(lower.size(), typed.size()) + near)
      continue;
    const std::size_t d = begins ? 1 : distance(typed, lower);
    // Names of one letter are all at a distance of 1. Another name needs a letter in common.
    const bool has_common_letter = d < std::max(lower.size(), typed.size());
    if (d < best_distance && (d == 0 || has_common_letter)) {
      best = name;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace sheaf
