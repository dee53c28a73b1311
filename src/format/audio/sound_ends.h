// Detects recordings that were cut off. libsndfile delivers the rest of them without an error.

#pragma once

#include <string>

#include "sheaf/extend/byte_source.h"

#include "format/audio/sound_file.h"

namespace sheaf::internal {

/// Returns a description of the bytes where the end of a recording is missing. Returns an empty
/// text if the end is there.
///
/// Ogg:    the last page is complete, and ends the stream.
/// SPHERE: the data has as many samples as the header says.
///
/// The samples of FLAC and MP3 are counted during decoding.
///
/// Throws: IoError.
/// Cost:   a read of at most 64 KiB.
[[nodiscard]] std::string cut_end_of(const ByteSource& source, const SoundRange& location,
                                     const SoundAudio& audio);

}  // namespace sheaf::internal
