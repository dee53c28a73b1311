/// \file
/// Several files as one data set, one after the other.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/named_data.h"

namespace sheaf {

/// What becomes of the sequence keys of files that are read one after the other. `distinct`: they
/// stay, and one that an earlier file has is an error. `number`: sequences are numbered through,
/// from 0, whatever their keys are in their file; text keys are gone.
enum class ConcatenatedKeys : std::uint8_t { distinct, number };

struct ConcatenateOptions {
  ConcatenatedKeys keys = ConcatenatedKeys::distinct;

  /// For finding keys that two files have, unless keys rise from one file to the next, which costs
  /// nothing; and for tables of numbered sequences. 0: no limit. Never the result depends on it.
  std::int64_t memory_limit_bytes = 0;
};

/// The chunks of several data sets, one set after the other, as one.
///
/// It becomes known chunk by chunk, as its members do: the second one is looked at when the first
/// is through. Diagnostics name places in the files that they are in, and warnings() has those of
/// all. What two files have of one key is found when the second comes: the index then throws a
/// DataError that names both places.
///
/// Chunks keep what the index says of them, but that their offsets are counted through all files.
///
/// Cost:   an index of a few words for each member, and what its members' indexes take.
/// Throws: ConfigError where there is no member, or one is null, and where the streams of two
///         differ: it names both, and how they differ.
[[nodiscard]] std::unique_ptr<Deserializer> concatenate(std::vector<NamedData> members,
                                                        const ConcatenateOptions& options = {});

/// The files that paths and patterns name: in the order given, those of a pattern by their names,
/// byte by byte. A pattern has `*`, `?` or `[...]` and is not the path of a file itself; `*` and
/// `?` stand for anything but a slash, and not for a dot that a name begins with.
///
/// Throws: ConfigError where no file fits a pattern, or a file comes twice, or there is none at
///         all; IoError where a folder cannot be read.
[[nodiscard]] std::vector<std::string> find_files(std::span<const std::string> patterns,
                                                  FileSystem& files = system_files());

}  // namespace sheaf
