// The data beside other data, such as a test set.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sheaf/open.h"
#include "sheaf/report.h"

#include "ops/report/data_numbers.h"
#include "ops/report/sections.h"

namespace sheaf::internal {

/// What the comparison found, and its section of the report.
struct ComparedData {
  DataComparison found = {};
  Json section = {};
};

/// Compares the data of `source` with other data. `path` is the name of the other data. The sample
/// of hashes of either data is taken.
///
/// Throws: IoError.
[[nodiscard]] ComparedData compared_data(const ReportSource& source,
                                         std::vector<HashedSequence> hashes,
                                         const OpenedData& other, DataNumbers& others,
                                         std::string_view path);

/// Returns which streams of `streams` are labels: those whose names are names of labels.
[[nodiscard]] std::vector<bool> same_labels(const DataNumbers& numbers,
                                            std::span<const Stream> streams);

}  // namespace sheaf::internal
