/// \file
/// Where index files lie.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

/// What to do about the index file beside the data.
enum class IndexMode : std::uint8_t {
  off,        // neither read nor write it
  automatic,  // read it; where there is none or it does not match, scan the data, and write it
              // once the data are scanned to their end, if they are larger than 16 MiB
  rebuild,    // scan the data and write it
  require,    // read it; refuse to scan
};

struct IndexOptions {
  IndexMode mode = IndexMode::automatic;
  std::string directory = {};  // where the index file lies; empty: beside the data
  std::optional<std::int64_t> memory_limit_bytes = {};  // of what is kept of the index

  /// The data are opened to learn their streams alone: an index file that says them is of use, even
  /// where its chunks are those of other streams.
  bool is_for_streams = false;
};

/// Where the index file of a data file lies: beside it as NAME.sheaf-index where `directory` is
/// empty, else in that folder as NAME.HASH.sheaf-index. HASH is made of the data file's absolute
/// path, so that files of one name in different folders do not share an index file.
[[nodiscard]] std::string index_file_path(std::string_view data_path, const std::string& directory);

}  // namespace sheaf
