// Finds recordings that were cut. libsndfile delivers what is left of them without an error.

#pragma once

#include <string>

#include "sheaf/extend/byte_source.h"

#include "format/audio/sound_file.h"

namespace sheaf::internal {

/// Returns what is there in place of the end of a recording; empty where the end is not missing.
///
/// Ogg:    the last page is whole, and ends the stream.
/// SPHERE: the data has as many samples as the header says.
///
/// The samples of FLAC and MP3 are counted as they are decoded.
///
/// Throws: IoError.
/// Cost:   a read of at most 64 KiB.
[[nodiscard]] std::string cut_end_of(const ByteSource& source, const SoundPlace& place,
                                     const SoundAudio& audio);

}  // namespace sheaf::internal
