// Reads folders of Arrow files that `datasets` of Hugging Face saves.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/file_system.h"

namespace sheaf::arrow {

/// The files by which such a folder is recognised: for a data set, and for a dictionary of data
/// sets.
inline constexpr std::string_view kStateName = "state.json";
inline constexpr std::string_view kSplitsName = "dataset_dict.json";
inline constexpr std::array kFolderMarks = {kStateName, kSplitsName};

/// The largest size of either file.
inline constexpr std::int64_t kStateBytesMax = std::int64_t{1} << 26;

/// Returns the paths of the Arrow files of a saved data set, in the order of the rows.
///
/// Throws: DataError that points into state.json if it does not name Arrow files; ConfigError for a
///         dictionary of splits, for rows that an indices mapping orders, and for a folder without
///         either of the files; IoError.
[[nodiscard]] std::vector<std::string> files_of_dataset(const std::string& folder,
                                                        FileSystem& files);

}  // namespace sheaf::arrow
