/// \file
/// Reads several files, one after the other, as one data set.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/named_data.h"
#include "sheaf/mixture.h"

namespace sheaf {

/// What happens to the sequence keys of files that are read one after the other.
///
/// distinct: keys stay as they are. A key that an earlier file has is an error.
/// number:   sequences get the keys 0, 1, 2, ... across all files. The keys of the files are
/// dropped.
enum class ConcatenatedKeys : std::uint8_t { distinct, number };

struct ConcatenateOptions {
  ConcatenatedKeys keys = ConcatenatedKeys::distinct;

  /// Limits the memory for finding keys that two files have, and for the tables of numbered
  /// sequences. Where keys rise from file to file, finding equal keys needs no memory. Empty
  /// means no limit. The limit never changes the result.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// Makes a mixture: orders draw from the members by weight, and two members may
  /// have the same key. Then `keys` must be distinct, which only says that keys stay.
  std::optional<MixtureOptions> mixture = {};
};

/// Returns one data set with the chunks of all members, one member after the other.
///
/// The index becomes known chunk by chunk: the second member is indexed after the last chunk of the
/// first one. Diagnostics name places in the files of the members, and warnings() has the warnings
/// of all members. Where a second file has a key again, the index throws a DataError that names
/// both places.
///
/// Chunks keep their sizes. Their offsets are counted across all files.
///
/// Cost:   a few words for each member, besides the indexes of the members.
/// Throws: ConfigError where there are no members or a member is null, and where the streams of two
///         members differ: the message names both members and the difference. As check_mixture().
[[nodiscard]] std::unique_ptr<Deserializer> concatenate(std::vector<NamedData> members,
                                                        const ConcatenateOptions& options = {});

/// Returns the files that paths and patterns name, in the given order. The files of one pattern are
/// sorted by name, byte by byte. A pattern has `*`, `?` or `[...]`, and no file has the pattern as
/// its path. `*` and `?` do not match a slash, or a dot at the beginning of a name.
///
/// Throws: ConfigError where no file matches a pattern, where a file comes twice, and where
///         `patterns` is empty; IoError where a folder cannot be read.
[[nodiscard]] std::vector<std::string> find_files(std::span<const std::string> patterns,
                                                  FileSystem& files = system_files());

}  // namespace sheaf
