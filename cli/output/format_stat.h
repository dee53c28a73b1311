/// \file
/// A StatReport as text.

#pragma once

#include <string>

#include "sheaf/stat.h"

namespace sheaf::cli {

/// Appends aligned tables for people.
void append_stat(std::string& out, const std::string& path, const StatReport& report);

}  // namespace sheaf::cli
