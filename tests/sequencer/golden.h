/// \file
/// Results of CNTK 2.x, and the tables of sequences that they belong to.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf::testing {

/// Returns the lines of tests/golden/NAME, split into words.
///
/// Throws: std::runtime_error if there is no such file.
[[nodiscard]] std::vector<std::vector<std::string>> golden_lines(std::string_view name);

/// Returns a table of chunks. "U" has 10 chunks of 5 sequences of 1 sample. "R" has 20 sequences of
/// different lengths in 6 chunks. "CxN" has C chunks of N sequences of 1 sample.
[[nodiscard]] Sizes golden_table(std::string_view name);

/// Returns the number of a sequence over all chunks, in file order.
[[nodiscard]] std::int64_t sequence_number(const Sizes& table, const SequenceRef& sequence);

/// Returns a number. "MAX" and "MAX/4" mean a number larger than any real count.
[[nodiscard]] std::int64_t golden_number(std::string_view text);

/// A run of files 05 to 08, described by the words after "run", or by the kind of a line of 08.
struct GoldenRun {
  Sizes table;
  OrderOptions options;
};

/// Pre: the line begins with "run".
[[nodiscard]] GoldenRun golden_run(const std::vector<std::string>& words);

}  // namespace sheaf::testing
