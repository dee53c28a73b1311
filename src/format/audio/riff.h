// Finds the samples of a RIFF file, and how they are stored.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"
#include "format/audio/pcm.h"

namespace sheaf::internal {

// The errors in a RIFF file.
inline constexpr ErrorKind kNotRiff{"wav-riff", "RIFF or RIFX, a size, and WAVE"};
inline constexpr ErrorKind kNoFormat{"wav-format", "one fmt chunk of 16 bytes or more"};
inline constexpr ErrorKind kNoData{"wav-data", "a data chunk behind the fmt chunk"};
inline constexpr ErrorKind kManyChunks{"wav-chunks", "a data chunk among the first 256 chunks"};
inline constexpr ErrorKind kOpenSize{"wav-open", "a size, as other bytes follow in an archive"};
inline constexpr ErrorKind kCutRiff{"wav-cut", "all bytes of the chunk"};
inline constexpr ErrorKind kRiffSize{"wav-riff-size", "a RIFF size that covers the data chunk"};
inline constexpr ErrorKind kEncoding{
    "wav-encoding", "PCM of 8, 16, 24 or 32 bits, floats of 32 or 64 bits, A-law or mu-law"};
inline constexpr ErrorKind kChannels{"wav-channels", "at least one channel"};
inline constexpr ErrorKind kRate{"wav-rate", "a sample rate of at least 1"};
inline constexpr ErrorKind kAlign{"wav-align", "the bytes of one value of each channel"};
inline constexpr ErrorKind kDataSize{"wav-data-size", "whole samples of all channels"};

/// The samples of a RIFF file. A sample has a value for each channel.
struct RiffAudio {
  SampleEncoding encoding = SampleEncoding::s16;
  bool is_big_endian = false;  // RIFX
  std::int64_t channel_count = 0;
  std::int64_t rate = 0;          // samples a second
  std::int64_t format_bytes = 0;  // offset of the format's fields in the source
  std::int64_t data_bytes = 0;    // offset of the first sample in the source
  std::int64_t sample_count = 0;

  [[nodiscard]] std::int64_t bytes_per_sample() const noexcept {
    return channel_count * sample_bytes(encoding);
  }

  friend bool operator==(const RiffAudio&, const RiffAudio&) = default;
};

/// The reason why a RIFF file cannot be read.
struct RiffFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // in the source
  std::string found;

  // From the fmt chunk, if that is good and the fault lies after it; otherwise 0.
  std::int64_t channel_count = 0;
  std::int64_t rate = 0;
};

/// The bytes of a source that a RIFF file may take.
struct RiffRange {
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;

  /// Whether the RIFF file is a file of its own. Then the sizes 0, 0xFFFFFFFF and 0x7FFFF000 are
  /// allowed, which mean "to the end of the file". Inside an archive they are a fault.
  bool is_whole_file = true;
};

/// The bytes of a RIFF file to read at first. Nearly all formats lie there.
inline constexpr std::int64_t kRiffHeadBytes = 512;

/// The largest number of chunks up to the data chunk.
inline constexpr std::int64_t kRiffChunksMax = 256;

/// Finds the format and the samples of a RIFF file. `head` has the first bytes of the file that the
/// caller has read. Further bytes are read on demand.
///
/// Pre:    0 <= begin_bytes <= end_bytes <= the source's size; `head` fits into `location`.
/// Throws: IoError.
/// Cost:   none if `head` has the chunks up to the data; at most two reads of 40 bytes for each
///         other chunk up to the data, of which there are at most kRiffChunksMax.
/// Source: docs/formats/wav.md.
[[nodiscard]] std::variant<RiffAudio, RiffFault> find_riff_audio(
    const ByteSource& source, const RiffRange& location, std::span<const std::byte> head = {});

}  // namespace sheaf::internal
