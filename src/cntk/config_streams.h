// Reads deserializers of speech. Each has one stream, and its section names the files.

#pragma once

#include <span>
#include <string_view>

#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"

#include "cntk/config_files.h"

namespace sheaf::internal {

/// Reads the section of a deserializer. The stream is the first section of `input`. Adds to `plan`:
/// data, repeated, transforms, read.max_errors, ignored.
///
/// Pre:    the format has a CntkNames::stream; `section` has a setting `type`.
/// Throws: ConfigTextError; IoError if a list of files cannot be read.
void add_input_stream(const ConfigSection& section, const Format& format,
                      const ReaderWideOptions& wide, ReaderPlan& plan);

/// Reads a reader section whose children are streams, in the formats that CNTK read with
/// `reader_type`: first all streams of the first such format, in alphabetical order, and so on.
///
/// Throws: as add_input_stream(); ConfigTextError if no stream may be the first.
void add_child_streams(const ConfigSection& section, const ConfigValue& reader_type,
                       std::span<const Format> formats, const ReaderWideOptions& wide,
                       ReaderPlan& plan);

}  // namespace sheaf::internal
