/// \file
/// The numbers that CNTK 2.x gave, and the tables that it was given.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf::testing {

/// The lines of tests/golden/NAME, each as its words.
///
/// Throws: std::runtime_error where there is no such file.
[[nodiscard]] std::vector<std::vector<std::string>> golden_lines(std::string_view name);

/// "U": 10 chunks of 5 sequences of 1 sample; "R": 20 sequences of different length in 6 chunks.
/// Otherwise "CxN": C chunks of N sequences of 1 sample.
[[nodiscard]] Sizes golden_table(std::string_view name);

/// Number of a sequence over all chunks, in the order of the file.
[[nodiscard]] std::int64_t sequence_number(const Sizes& table, const SequenceRef& sequence);

/// A number; "MAX" and "MAX/4" stand for more than there can be.
[[nodiscard]] std::int64_t golden_number(std::string_view text);

/// A run of files 05 to 08: what follows "run", or the kind of a line of 08.
struct GoldenRun {
  Sizes table;
  OrderOptions options;
};

/// Pre: the words of a line that begins with "run".
[[nodiscard]] GoldenRun golden_run(const std::vector<std::string>& words);

}  // namespace sheaf::testing
