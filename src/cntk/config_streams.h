// The deserializers for speech: one stream each, whose section names the files.

#pragma once

#include <span>
#include <string_view>

#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"

#include "cntk/config_files.h"

namespace sheaf::internal {

/// Understands the section of a deserializer: the stream is the first section of `input`. Adds to
/// `plan`: data, repeated, transforms, read.max_errors, ignored.
///
/// Pre:    the format has a CntkNames::stream; `section` has a setting `type`.
/// Throws: ConfigTextError; IoError where a list of files cannot be read.
void add_input_stream(const ConfigSection& section, const Format& format,
                      const ReaderWideOptions& wide, ReaderPlan& plan);

/// Understands a reader section whose children are streams, of the formats that CNTK read by
/// `reader_type`: first all streams of the first such format, in alphabetical order, and so on.
///
/// Throws: as above; ConfigTextError where no stream may be the first.
void add_child_streams(const ConfigSection& section, const ConfigValue& reader_type,
                       std::span<const Format> formats, const ReaderWideOptions& wide,
                       ReaderPlan& plan);

}  // namespace sheaf::internal
