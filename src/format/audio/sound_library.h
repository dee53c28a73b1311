// The functions of libsndfile, which is loaded at run time, as declared in its documentation.

#pragma once

#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <string>

namespace sheaf::internal {

/// SF_INFO of sndfile.h.
struct SndfileInfo {
  std::int64_t sample_count = 0;
  int rate = 0;
  int channel_count = 0;
  int format = 0;
  int section_count = 0;
  int is_seekable = 0;
};
static_assert(sizeof(SndfileInfo) == 32 && offsetof(SndfileInfo, format) == 16);

/// SF_VIRTUAL_IO of sndfile.h: the functions through which the library reads bytes. `user` is the
/// argument of sf_open_virtual(). The functions must not throw.
struct SndfileCalls {
  std::int64_t (*size)(void* user) = nullptr;
  std::int64_t (*seek)(std::int64_t offset, int whence, void* user) = nullptr;
  std::int64_t (*read)(void* to, std::int64_t count, void* user) = nullptr;
  std::int64_t (*write)(const void* from, std::int64_t count, void* user) = nullptr;
  std::int64_t (*tell)(void* user) = nullptr;
};

/// SNDFILE of sndfile.h.
struct Sndfile;

// Constants of sndfile.h.
inline constexpr int kSndfileFromBegin = 0;          // SF_SEEK_SET
inline constexpr int kSndfileFromHere = 1;           // SF_SEEK_CUR
inline constexpr int kSndfileFromEnd = 2;            // SF_SEEK_END
inline constexpr int kSndfileRead = 0x10;            // SFM_READ
inline constexpr int kSndfileTypeMask = 0x0FFF0000;  // SF_FORMAT_TYPEMASK
inline constexpr int kSndfileSphere = 0x070000;      // SF_FORMAT_NIST
inline constexpr int kSndfileFlac = 0x170000;        // SF_FORMAT_FLAC
inline constexpr int kSndfileOgg = 0x200000;         // SF_FORMAT_OGG
inline constexpr int kSndfileMpeg = 0x230000;        // SF_FORMAT_MPEG
inline constexpr int kSndfileMajorCount = 0x1030;    // SFC_GET_FORMAT_MAJOR_COUNT
inline constexpr int kSndfileMajor = 0x1031;         // SFC_GET_FORMAT_MAJOR

/// The functions of a loaded library. The names in comments are those of sndfile.h.
struct SoundLibrary {
  Sndfile* (*open)(SndfileCalls*, int mode, SndfileInfo*, void* user) = nullptr;  // sf_open_virtual
  int (*close)(Sndfile*) = nullptr;                                               // sf_close
  std::int64_t (*seek)(Sndfile*, std::int64_t, int whence) = nullptr;             // sf_seek
  std::int64_t (*read)(Sndfile*, float* to, std::int64_t count) = nullptr;        // sf_readf_float
  int (*error)(Sndfile*) = nullptr;                                               // sf_error
  const char* (*error_text)(Sndfile*) = nullptr;                                  // sf_strerror
  int (*command)(Sndfile*, int command, void* data, int size_bytes) = nullptr;    // sf_command
  const char* (*version)() = nullptr;  // sf_version_string

  /// The library keeps the reason of a failed open() in one variable for all threads. A thread that
  /// needs the reason opens the recording again with exclusive ownership of the lock. All other
  /// threads share the lock.
  mutable std::shared_mutex opening{};

  /// Returns whether the library was built with a type of file, such as kSndfileFlac.
  [[nodiscard]] bool reads(int type) const;
};

/// Returns libsndfile. Loads the library on the first call. Returns null if it is missing, and then
/// `why` says what is missing. set_sound_library() sets the file to load.
///
/// Lifetime: the result lives until the program ends.
/// Threads:  safe from any number of threads.
[[nodiscard]] const SoundLibrary* find_sound_library(std::string& why);

}  // namespace sheaf::internal
