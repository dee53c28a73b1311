/// \file
/// What a reader section of a CNTK configuration asks for.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

namespace sheaf {

/// A setting that changes nothing here, and why.
struct IgnoredSetting {
  std::string path = {};  // "/Train/reader/traceLevel"
  ConfigPlace place = {};
  std::string reason = {};
};

/// A reader section, understood: with CNTK's defaults and in CNTK's order. How many samples a
/// minibatch and an epoch have, and which worker this is, no reader section says: set it in
/// `spec.read.order`. Several deserializers are a join by sequence key.
struct ConfiguredReader {
  Spec spec = {};
  std::vector<IgnoredSetting> ignored = {};
};

/// Understand a section with `readerType` or `deserializers`. Relative paths begin at
/// Config::directory(). Whatever in it means nothing to a reader becomes a warning of its Config.
///
/// Throws: ConfigTextError where a setting is missing, out of range, contradicts another one, or
///         asks for what sheaf does not read.
/// Source: docs/config.md.
[[nodiscard]] ConfiguredReader configured_reader(
    const ConfigSection& section, std::span<const Format> formats = builtin_formats());

/// What it does, in words: a line for each thing.
[[nodiscard]] std::vector<std::string> describe(
    const ConfiguredReader& reader, std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
