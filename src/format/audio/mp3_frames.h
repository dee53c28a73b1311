// Finds the frames of an MP3 file, and checks that nothing else lies between them.
//
// When a frame is missing, the decoder in libsndfile searches for the next one and prints notes
// about that. It also guesses the length of a file that does not tell its length. So the decoder is
// given frames only, with a length.

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

/// The header of a frame of MPEG audio, which has 4 bytes.
struct Mp3Header {
  unsigned version = 0;  // 1: MPEG-1, 2: MPEG-2 and 2.5
  unsigned layer = 0;    // 1 to 3
  std::int64_t rate = 0;
  std::int64_t channel_count = 0;
  std::int64_t size_bytes = 0;  // of the frame

  /// Returns the number of samples in a frame.
  [[nodiscard]] std::int64_t sample_count() const noexcept;
};

/// Parses a header of 4 bytes. Returns nothing if the bytes are not a header, or if the frame does
/// not tell its size ("free format").
[[nodiscard]] std::optional<Mp3Header> mp3_header(std::string_view bytes) noexcept;

/// The frames of a recording, without tags before and after them.
struct Mp3Frames {
  SoundRange location{};

  /// Frames that the decoder reads before the others to learn the length. Empty if the first frame
  /// of the recording tells the length.
  std::string front{};

  /// The number of samples in the frames, if the recording does not tell its length.
  std::optional<std::int64_t> sample_count{};

  /// The number of frames after the one that tells the length; nothing if the frames were counted.
  std::optional<std::int64_t> told_count{};
};

/// Finds the first frame and the length of the recording.
///
/// Pre:    as SoundFile::open().
/// Throws: IoError; the exceptions of an Interruption.
/// Cost:   some small reads. A recording that does not tell its length, or tells a wrong one, is
///         read whole.
/// Source: ISO/IEC 11172-3, ISO/IEC 13818-3; docs/formats/wav.md.
[[nodiscard]] std::variant<Mp3Frames, RiffFault> find_mp3_frames(const ByteSource& source,
                                                                 const SoundRange& location);

/// Checks that the frames follow each other from the first to the end of the recording, that only
/// tags and zeros follow the last frame, and that the first frame tells their number correctly. If
/// find_mp3_frames() counted the frames, it has checked this already.
///
/// Pre:    find_mp3_frames() found `frames` in the recording, which ends at `end_bytes`.
/// Throws: as find_mp3_frames().
/// Cost:   reads the recording, unless the frames were counted.
[[nodiscard]] std::optional<RiffFault> check_mp3_frames(const ByteSource& source,
                                                        const Mp3Frames& frames,
                                                        std::int64_t end_bytes);

}  // namespace sheaf::internal
