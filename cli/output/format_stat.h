/// \file
/// A DataStat as text.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/types.h"

#include "data_stat.h"

namespace sheaf::cli {

/// What `sheaf stat` says about a file.
struct StatReport {
  std::string path = {};
  std::vector<Stream> streams = {};
  DataStat data = {};
  std::optional<std::int64_t> duplicates = {};  // nothing where they were not looked for
  std::vector<Diagnostic> warnings = {};
};

/// Append aligned tables for people.
void append_stat(std::string& out, const StatReport& report);

/// Append a JSON object.
void append_stat_json(std::string& out, const StatReport& report);

}  // namespace sheaf::cli
