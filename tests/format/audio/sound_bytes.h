/// \file
/// Makes recordings with libsndfile, for tests.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "format/audio/sound_library.h"

/// Skips a test if libsndfile is missing or does not write this kind of file.
#define SHEAF_NEED_SOUND(file)                                                      \
  if ((file).bytes().empty()) {                                                     \
    GTEST_SKIP() << "libsndfile is missing, or does not write this kind of files: " \
                    "apt install libsndfile1";                                      \
  }                                                                                 \
  static_assert(true, "a semicolon follows")

namespace sheaf::testing {

inline constexpr int kWriting = 0x20;  // SFM_WRITE of sndfile.h

// Kinds of files: numbers from sndfile.h.
inline constexpr int kFlac16 = 0x170002;
inline constexpr int kFlac24 = 0x170003;
inline constexpr int kVorbis = 0x200060;
inline constexpr int kOpus = 0x200064;
inline constexpr int kMp3 = 0x230082;
inline constexpr int kSphere16 = 0x070002;
inline constexpr int kSphereMuLaw = 0x070010;
inline constexpr int kAiff16 = 0x020002;

/// A recording of 16-bit noise: all values are whole numbers divided by 32768.
struct SoundBytes {
  int kind = kFlac16;
  std::int64_t sample_count = 1000;
  int channel_count = 1;
  int rate = 16000;

  /// Returns the whole number of a value, from -32768 to 32767.
  [[nodiscard]] static int number(std::int64_t value) {
    const auto mixed = static_cast<std::uint32_t>(value) * 2654435761U;
    return static_cast<int>(mixed >> 16U) - 32768;
  }

  /// Returns all values, from -1 to 1.
  [[nodiscard]] std::vector<float> values() const {
    std::vector<float> all;
    for (std::int64_t i = 0; i < sample_count * channel_count; ++i) {
      all.push_back(static_cast<float>(number(i)) / 32768.0F);
    }
    return all;
  }

  /// Returns the file, or nothing if libsndfile is missing or refuses.
  [[nodiscard]] std::string bytes() const {
    std::string why;
    const internal::SoundLibrary* const library = internal::find_sound_library(why);
    void* const same = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr || same == nullptr) return {};
    using Write = std::int64_t(internal::Sndfile*, const int*, std::int64_t);
    auto* const write = reinterpret_cast<Write*>(dlsym(same, "sf_writef_int"));
    Written written;
    internal::SndfileCalls calls = {
        .size = [](void* user) { return std::ssize(static_cast<Written*>(user)->bytes); },
        .seek = [](std::int64_t offset, int whence,
                   void* user) { return static_cast<Written*>(user)->seek(offset, whence); },
        .read = [](void* to, std::int64_t count,
                   void* user) { return static_cast<Written*>(user)->read(to, count); },
        .write = [](const void* from, std::int64_t count,
                    void* user) { return static_cast<Written*>(user)->write(from, count); },
        .tell = [](void* user) { return static_cast<Written*>(user)->position; }};
    internal::SndfileInfo info{.rate = rate, .channel_count = channel_count, .format = kind};
    internal::Sndfile* const file = library->open(&calls, kWriting, &info, &written);
    if (file == nullptr) return {};
    std::vector<int> all;  // the upper half has the number
    for (std::int64_t i = 0; i < sample_count * channel_count; ++i)
      all.push_back(number(i) * 65536);
    EXPECT_EQ(write(file, all.data(), sample_count), sample_count);
    library->close(file);
    return written.bytes;
  }

 private:
  struct Written {
    std::string bytes{};
    std::int64_t position = 0;

    std::int64_t seek(std::int64_t offset, int whence) {
      if (whence == internal::kSndfileFromBegin) position = offset;
      if (whence == internal::kSndfileFromHere) position += offset;
      if (whence == internal::kSndfileFromEnd) position = std::ssize(bytes) + offset;
      return position;
    }
    std::int64_t read(void* to, std::int64_t count) {
      count = std::clamp<std::int64_t>(count, 0, std::ssize(bytes) - position);
      std::memcpy(to, bytes.data() + position, static_cast<std::size_t>(count));
      position += count;
      return count;
    }
    std::int64_t write(const void* from, std::int64_t count) {
      const auto end = static_cast<std::size_t>(position + count);
      if (bytes.size() < end) bytes.resize(end);
      std::memcpy(bytes.data() + position, from, static_cast<std::size_t>(count));
      position += count;
      return count;
    }
  };
};

/// Returns a FLAC file with another number of samples in its header, which is the last 36 bits of
/// bytes 18 to 25.
inline std::string with_flac_length(std::string file, std::uint64_t sample_count) {
  constexpr std::size_t kEnd = 26;
  for (std::size_t i = 1; i <= 4; ++i) {
    file[kEnd - i] = static_cast<char>(sample_count & 0xFFU);
    sample_count >>= 8U;
  }
  const auto upper = static_cast<unsigned char>(file[kEnd - 5]);
  file[kEnd - 5] = static_cast<char>((upper & 0xF0U) | (sample_count & 0x0FU));
  return file;
}

}  // namespace sheaf::testing
