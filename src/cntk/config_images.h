// Reads deserializers of images, and turns their settings into transforms of a spec.

#pragma once

#include "sheaf/extend/config.h"
#include "sheaf/extend/format.h"

#include "cntk/config_files.h"

namespace sheaf::internal {

/// Reads the section of an image deserializer in a composite reader. Adds to `plan`: data,
/// transforms, read.max_errors, ignored.
///
/// Pre:    the format has CntkNames::images.
/// Throws: ConfigTextError.
void add_images(const ConfigSection& section, const Format& format, const ReaderWideOptions& wide,
                ReaderPlan& plan);

/// Reads the section of an image reader that is described by a single section, as in the oldest
/// configurations.
///
/// Pre, Throws: as add_images().
void add_image_reader(const ConfigSection& section, const Format& format,
                      const ReaderWideOptions& wide, ReaderPlan& plan);

}  // namespace sheaf::internal
