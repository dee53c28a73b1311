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
/// distinct: keys stay as they are. A key that also occurs in an earlier file is an error.
/// number:   sequences get the keys 0, 1, 2, ... across all files. The keys of the files are
/// dropped.
enum class ConcatenatedKeys : std::uint8_t { distinct, number };

struct ConcatenateOptions {
  ConcatenatedKeys keys = ConcatenatedKeys::distinct;

  /// Limits the memory for finding keys that occur in two files, and for the tables of numbered
  /// sequences. If keys rise from file to file, finding equal keys needs no memory. Empty means no
  /// limit. The limit never changes the result.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// Makes a mixture: orders draw from the members by weight, and two members may have the same
  /// key. `keys` must then be `distinct`, which here only means that keys stay as they are.
  std::optional<MixtureOptions> mixture = {};
};

/// Returns a data set with the chunks of all members, one member after the other.
///
/// The index grows chunk by chunk: the second member is indexed after the last chunk of the first.
/// Diagnostics give locations in the files of the members, and warnings() returns the warnings of
/// all members. If two files have the same key, the index throws a DataError that gives both
/// locations.
///
/// Chunks keep their sizes. Their offsets count across all files.
///
/// Cost:   a few words for each member, besides the indexes of the members.
/// Throws: ConfigError if there are no members, if a member is null, or if the streams of two
///         members differ; the message names both members and the difference. Also as
///         check_mixture().
[[nodiscard]] std::unique_ptr<Deserializer> concatenate(std::vector<NamedData> members,
                                                        const ConcatenateOptions& options = {});

/// Returns the files that match paths and patterns, in the given order. The files of one pattern
/// are sorted by name, byte by byte. A text with `*`, `?` or `[...]` is a pattern unless a file has
/// the text as its path. `*` and `?` do not match a slash, or a dot at the beginning of a name.
///
/// Throws: ConfigError if no file matches a pattern, if a file comes twice, or if `patterns` is
///         empty; IoError if a folder cannot be read.
[[nodiscard]] std::vector<std::string> find_files(std::span<const std::string> patterns,
                                                  FileSystem& files = system_files());

}  // namespace sheaf
