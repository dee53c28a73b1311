/// \file
/// Where index files lie.

#pragma once

#include <string>
#include <string_view>

namespace sheaf {

/// Where the index file of a data file lies: beside it as NAME.sheaf-index where `directory` is
/// empty, else in that folder as NAME.HASH.sheaf-index. HASH is made of the data file's absolute
/// path, so that files of one name in different folders do not share an index file.
[[nodiscard]] std::string index_file_path(std::string_view data_path, const std::string& directory);

}  // namespace sheaf
