/// \file
/// What a reader section of a CNTK configuration asks for.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/concatenate.h"
#include "sheaf/config.h"
#include "sheaf/deserializer.h"
#include "sheaf/format.h"
#include "sheaf/join.h"
#include "sheaf/minibatch.h"
#include "sheaf/named_data.h"
#include "sheaf/reader.h"
#include "sheaf/sequencer.h"

namespace sheaf {

/// The files of one deserializer of a section, or data of one's own in place of files.
struct ConfiguredFiles {
  std::string type = {};                // as a deserializer of a composite reader is called
  std::vector<std::string> paths = {};  // or patterns, as for find_files(); several: one data set
  FormatOptions format = {};
  ConcatenateOptions concatenation = {};

  /// Read in place of files, where it is not null; nothing above is then looked at.
  NamedData opened = {};
};

/// A setting that changes nothing here, and why.
struct IgnoredSetting {
  std::string path = {};  // "/Train/reader/traceLevel"
  ConfigPlace place = {};
  std::string reason = {};
};

/// A reader section, understood: with CNTK's defaults and in CNTK's order. How many samples a
/// minibatch and an epoch have, and which worker this is, no reader section says: set it in
/// `order`.
struct ConfiguredReader {
  std::vector<ConfiguredFiles> data = {};  // several are joined by sequence key
  JoinOptions join = {};
  OrderOptions order = {};
  Layout packing = Layout::packed;
  std::int64_t max_errors = 0;
  std::vector<IgnoredSetting> ignored = {};
};

/// Understand a section with `readerType` or `deserializers`. Relative paths begin at
/// Config::directory(). Whatever in it means nothing to a reader becomes a warning of its Config.
///
/// Throws: ConfigTextError where a setting is missing, out of range, contradicts another one, or
///         asks for what sheaf does not read.
/// Source: docs/config.md.
[[nodiscard]] ConfiguredReader configured_reader(const ConfigSection& section);

/// What it does, in words: a line for each thing.
[[nodiscard]] std::vector<std::string> describe(const ConfiguredReader& reader);

/// Open what a section reads: one data set, whatever it is made of. `memory_limit_bytes` is that of
/// the run, of which indexes get a part; 0: no limit.
///
/// Throws: as open_files and join.
[[nodiscard]] std::shared_ptr<const Deserializer> open_data(const ConfiguredReader& reader,
                                                            Executor* executor = nullptr,
                                                            std::int64_t memory_limit_bytes = 0);

/// Returns how many wrong places a run may have: those that the section tolerates, and `more`. A
/// sum that no number can hold is the largest number.
///
/// Throws: ConfigError where `more` is negative.
[[nodiscard]] std::int64_t max_errors_of(const ConfiguredReader& reader, std::int64_t more);

/// A reader for a section. Of `run`, max_errors is added to what the section tolerates.
///
/// Throws: as open_data and Reader.
[[nodiscard]] Reader make_reader(const ConfiguredReader& reader, RunOptions run = {});

}  // namespace sheaf
