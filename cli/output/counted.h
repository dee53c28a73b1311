/// \file
/// Counts with a noun.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Returns "1 sequence" or "2 sequences".
[[nodiscard]] inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

/// Returns the effect of wrong data: "left out 1 sequence, for 2 errors".
[[nodiscard]] inline std::string left_out_text(std::int64_t holes, std::int64_t errors) {
  if (holes > 0)
    return "left out " + counted(holes, "sequence") + ", for " + counted(errors, "error");
  return counted(errors, "error") + "; no sequence was left out";
}

}  // namespace sheaf::cli
