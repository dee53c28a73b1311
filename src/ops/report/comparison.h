// Compares the data with other data, such as a test set.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sheaf/open.h"
#include "sheaf/report.h"

#include "ops/report/data_numbers.h"
#include "ops/report/sections.h"

namespace sheaf::internal {

/// The result of a comparison and its section of the report.
struct ComparedData {
  DataComparison found = {};
  Json section = {};
};

/// Compares the data of `source` with other data. `path` is the name of the other data. Consumes
/// the samples of hashes of both data sets.
///
/// Throws: IoError.
[[nodiscard]] ComparedData compared_data(const ReportSource& source,
                                         std::vector<HashedSequence> hashes,
                                         const OpenedData& other, DataNumbers& others,
                                         std::string_view path);

/// Marks the streams of `streams` whose names are names of labels in `numbers`.
[[nodiscard]] std::vector<bool> same_labels(const DataNumbers& numbers,
                                            std::span<const Stream> streams);

}  // namespace sheaf::internal
