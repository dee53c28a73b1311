/// \file
/// Where the library lies that decodes FLAC, Ogg, MP3 and SPHERE.

#pragma once

#include <string>

namespace sheaf {

/// Says which file is libsndfile. sheaf loads the library when the first recording needs it, and
/// never unloads it. The empty path, the default, stands for the system's own: "libsndfile.so.1",
/// or "libsndfile.1.dylib" on macOS, wherever the system's loader finds it.
///
/// Recordings that are opened later are decoded with the new library; open ones keep theirs. A path
/// without a library is no error here: opening a recording throws.
///
/// Threads: safe from any number of threads.
void set_sound_library(std::string path);

/// Returns the path that was set last; empty where none was set.
///
/// Threads: safe from any number of threads.
[[nodiscard]] std::string sound_library();

}  // namespace sheaf
