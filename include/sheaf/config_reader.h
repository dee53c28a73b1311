/// \file
/// Turns the reader section of a CNTK configuration into a Spec.
///
///     const std::string text =
///         "reader = [ readerType = \"CNTKTextFormatReader\"; file = \"train.ctf\"\n"
///         "  input = [ x = [ alias = \"features\"; dim = 64; format = \"dense\" ] ] ]";
///     const sheaf::Config config = sheaf::Config::from_text(text, "train.cntk");
///     const sheaf::ConfiguredReader reader = configured_reader(config.section_at("reader"));
///     std::cout << to_json(reader.spec) << '\n';

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"
#include "sheaf/spec.h"

namespace sheaf {

/// A setting that has no effect in sheaf, and the reason.
struct IgnoredSetting {
  std::string path = {};  // "/Train/reader/traceLevel"
  ConfigLocation location = {};
  std::string reason = {};
};

/// The spec of a reader section, with CNTK's defaults and CNTK's order. Several deserializers
/// become a join by sequence key.
///
/// A reader section does not say how many samples an epoch has, or which worker reads. Set both in
/// `spec.read.order`.
struct ConfiguredReader {
  Spec spec = {};
  std::vector<IgnoredSetting> ignored = {};
};

/// Returns the spec of a section with `readerType` or `deserializers`. Relative paths begin at
/// Config::directory(). A setting that means nothing to a reader becomes a warning of the Config.
///
/// A reader section does not say how large a minibatch is, so `minibatch_size` does. The oldest
/// speech readers also use this size in place of a `truncationLength` that is missing or 0. A
/// minibatch then has `minibatch_size` samples of each of `nbruttsineachrecurrentiter` utterances.
///
/// Throws: ConfigTextError if a setting is missing, is out of range, contradicts another
///         setting, or asks for a format or a feature that sheaf does not have.
/// Source: docs/config.md.
[[nodiscard]] ConfiguredReader configured_reader(
    const ConfigSection& section, std::span<const Format> formats = builtin_formats(),
    std::int64_t minibatch_size = OrderOptions{}.minibatch_size);

/// Describes a reader in words, one line for each fact.
[[nodiscard]] std::vector<std::string> describe(
    const ConfiguredReader& reader, std::span<const Format> formats = builtin_formats());

}  // namespace sheaf
