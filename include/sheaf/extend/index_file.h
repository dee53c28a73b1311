/// \file
/// The paths and modes of index files.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

/// How to use the index file of the data.
enum class IndexMode : std::uint8_t {
  off,        // neither read nor write the file
  automatic,  // read the file; if it is missing or does not match, scan the data, and write the
              // file after the scan if the data are larger than 16 MiB
  rebuild,    // scan the data and write the file
  require,    // read the file; refuse to scan
};

struct IndexOptions {
  IndexMode mode = IndexMode::automatic;
  std::string directory = {};  // the folder of the index file; empty: beside the data
  std::optional<std::int64_t> memory_limit_bytes = {};  // of the part of the index that stays in
                                                        // memory

  /// Whether the data are opened only to find their streams. An index file with the streams is then
  /// useful even if its chunks belong to other streams.
  bool is_for_streams = false;
};

/// Returns the path of the index file of a data file. If `directory` is empty, the path is
/// NAME.sheaf-index beside the data file. Otherwise, the path is NAME.HASH.sheaf-index in
/// `directory`. HASH is a hash of the data file's absolute path, so that files of the same name in
/// different folders do not share an index file.
[[nodiscard]] std::string index_file_path(std::string_view data_path, const std::string& directory);

}  // namespace sheaf
