/// \file
/// The path of libsndfile, which decodes FLAC, Ogg, MP3 and SPHERE.

#pragma once

#include <string>

namespace sheaf {

/// Sets the path of libsndfile. sheaf loads the library when the first recording needs it, and
/// never unloads it. The default is the empty path, which means the system's libsndfile:
/// "libsndfile.so.1", or "libsndfile.1.dylib" on macOS, as found by the system's loader.
///
/// Recordings that are opened later use the new library; open recordings keep their library. This
/// function does not check the path: opening a recording throws if the path has no library.
///
/// Threads: safe from any number of threads.
void set_sound_library(std::string path);

/// Returns the path that was set last. Empty if no path was set.
///
/// Threads: safe from any number of threads.
[[nodiscard]] std::string sound_library();

}  // namespace sheaf
