// The frames of an MP3 file: where they are, and whether there is nothing else between them.
//
// The decoder inside libsndfile looks for the next frame where bytes are none, prints notes about
// it, and guesses the length of a file that does not tell it. So it only gets frames, with a
// length.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sheaf/extend/byte_source.h"

#include "format/audio/riff.h"
#include "format/audio/sound_file.h"

namespace sheaf::internal {

/// The header of a frame of MPEG audio: 4 bytes.
struct Mp3Header {
  unsigned version = 0;  // 1: MPEG-1, 2: MPEG-2 and 2.5
  unsigned layer = 0;    // 1 to 3
  std::int64_t rate = 0;
  std::int64_t channel_count = 0;
  std::int64_t size_bytes = 0;  // of the frame

  /// Returns how many samples a frame has.
  [[nodiscard]] std::int64_t sample_count() const noexcept;
};

/// Returns the header that 4 bytes are; nothing where they are none, or where the frame does not
/// tell its size ("free format").
[[nodiscard]] std::optional<Mp3Header> mp3_header(std::string_view bytes) noexcept;

/// The frames of a recording, without tags in front of them and behind.
struct Mp3Frames {
  SoundPlace place{};

  /// Frames that the decoder reads in front of the others, so that it knows the length; empty where
  /// the first frame of the recording tells it.
  std::string front{};

  /// How many samples the frames have, where the recording does not tell its length.
  std::optional<std::int64_t> sample_count{};

  /// How many frames follow the one that tells the length; nothing where they were counted.
  std::optional<std::int64_t> told_count{};
};

/// Finds the first frame, and how long the recording is.
///
/// Pre:    as SoundFile::open().
/// Throws: IoError; what an Interruption throws.
/// Cost:   some small reads. A recording that does not tell its length, or tells a wrong one, is
///         read whole.
/// Source: ISO/IEC 11172-3, ISO/IEC 13818-3; docs/formats/wav.md.
[[nodiscard]] std::variant<Mp3Frames, RiffFault> find_mp3_frames(const ByteSource& source,
                                                                 const SoundPlace& place);

/// Checks that one frame follows the other from the first to the end of a recording, that only tags
/// and zeros stand behind the frames, and that there are as many frames as the first one tells. All
/// this is known where find_mp3_frames() counted the frames.
///
/// Pre:    find_mp3_frames() found `frames` in the recording, which ends at `end_bytes`.
/// Throws: as find_mp3_frames().
/// Cost:   reads the recording, unless the frames were counted.
[[nodiscard]] std::optional<RiffFault> check_mp3_frames(const ByteSource& source,
                                                        const Mp3Frames& frames,
                                                        std::int64_t end_bytes);

}  // namespace sheaf::internal
