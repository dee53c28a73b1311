// Cuts of lhotse.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/manifest/manifest_fields.h"
#include "format/manifest/manifest_line.h"

namespace sheaf::manifest {

/// Parses a cut: its key, and the wanted file, channel and part of the samples.
///
/// Errors: a cut other than a MonoCut; a source of samples other than a file; features in a storage
///         other than NumPy files; samples that lhotse would change after reading.
/// Source: docs/formats/manifest.md.
void parse_cut(const JsonFields& fields, const LineRules& rules, LineFaults& faults,
               ManifestLine& line);

/// Returns a field of all supervisions of a cut, with a blank between two texts. Returns nothing if
/// no supervision has the field.
[[nodiscard]] std::optional<std::string> text_of_cut(const JsonFields& fields,
                                                     std::string_view name);

}  // namespace sheaf::manifest
