// Decodes recordings other than RIFF with libsndfile: FLAC, Ogg, MP3 and SPHERE.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"
#include "format/audio/pcm.h"
#include "format/audio/riff.h"

namespace sheaf::internal {

// The errors in a recording that libsndfile decodes.
inline constexpr ErrorKind kSoundHeader{"sound-header", "a header that libsndfile reads"};
inline constexpr ErrorKind kSoundChannels{"sound-channels", "1 to 1024 channels"};
inline constexpr ErrorKind kSoundLength{"sound-length",
                                        "a header that tells the number of samples"};
inline constexpr ErrorKind kSoundCut{"sound-cut", "as many samples as the header says"};
inline constexpr ErrorKind kSoundData{"sound-data", "data that libsndfile decodes"};

/// The compression of a recording's samples.
enum class SoundCoding : std::uint8_t { flac, ogg, mp3, sphere };

/// Returns "FLAC", "Ogg", "MP3" or "SPHERE".
[[nodiscard]] std::string_view name_of(SoundCoding coding) noexcept;

/// Returns the coding of a recording by its first bytes, or nothing if they have none.
///
/// An MP3 file begins with a tag (ID3) or with a frame, which starts with 11 ones. Two bytes are
/// weak evidence. So a frame counts only if `may_be_mp3` says that the file claims to be MP3, for
/// example by its extension.
[[nodiscard]] std::optional<SoundCoding> sound_coding_of(std::span<const std::byte> head,
                                                         bool may_be_mp3 = false) noexcept;

/// The number of bytes that sound_coding_of() needs.
inline constexpr std::int64_t kSoundHeadBytes = 16;

/// The largest number of channels of a recording.
inline constexpr std::int64_t kSoundChannelsMax = 1024;

/// The bytes of a recording in a source: the whole source, or an entry of an archive.
struct SoundRange {
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;
};

/// The contents of a recording's header. A sample has a value for each channel.
struct SoundAudio {
  SoundCoding coding = SoundCoding::flac;
  std::int64_t channel_count = 0;  // 1 to kSoundChannelsMax
  std::int64_t rate = 0;           // samples per second, at least 1
  std::int64_t sample_count = 0;   // 0 if empty

  friend bool operator==(const SoundAudio&, const SoundAudio&) = default;
};

/// One open recording.
///
/// A header with more samples than its bytes can hold is a fault, so sample_count is at most 8192
/// times the bytes of the recording. A header may be wrong within this limit; see holds_all().
///
/// Threads: one thread at a time. Each thread opens its own decoder.
class SoundFile {
 public:
  /// The largest number of samples for each byte of a recording.
  static constexpr std::int64_t kSamplesPerByteMax = 8192;

  /// Returns whether a recording of this size is likely to have this many values in all channels:
  /// at most 64 for each byte. holds_all() decodes other recordings.
  [[nodiscard]] static bool is_likely(std::int64_t value_count, std::int64_t size_bytes) noexcept;

  /// Opens a recording, and reads its header. Reads only bytes of `location`, and opens no file.
  /// The offset of a fault is the start of the recording, or of the MP3 frame, in the source.
  ///
  /// Lifetime: `source` must outlive the result.
  /// Pre:      0 <= begin_bytes <= end_bytes <= the source's size.
  /// Throws:   ConfigError that names the source if libsndfile is missing or does not know the
  ///           coding; IoError of the source; the exceptions of an Interruption.
  /// Cost:     reads of 4 KiB and more; no samples are decoded. See find_mp3_frames() for MP3, and
  ///           cut_end_of() for Ogg.
  [[nodiscard]] static std::variant<SoundFile, RiffFault> open(const ByteSource& source,
                                                               const SoundRange& location,
                                                               SoundCoding coding);

  SoundFile(SoundFile&& other) noexcept;
  SoundFile& operator=(SoundFile&& other) noexcept;
  ~SoundFile();

  [[nodiscard]] const SoundAudio& audio() const noexcept;

  /// Decodes samples from `first` on. Channels are interleaved in `to`.
  ///
  /// For FLAC and SPHERE a value is exactly the stored number times a power of two. Lossy
  /// recordings may have values beyond full scale.
  ///
  /// Errors:      a fault if the data is damaged or ends early; `to` is then unspecified.
  /// Determinism: values of FLAC and SPHERE depend only on which samples are read. Values of Ogg
  /// and
  ///              MP3 also depend on where reads began: a read that continues the last one gives
  ///              the values of one long read, and any other read seeks. Their last bits may differ
  ///              between versions of libsndfile.
  /// Pre:         0 <= first, and first + to.size() / channel_count <= sample_count; to.size() is
  ///              a multiple of channel_count.
  /// Throws:      as open(). Whether reads continue after an exception or a fault is unspecified.
  [[nodiscard]] std::optional<RiffFault> read(std::int64_t first, SampleScale scale,
                                              std::span<float> to);

  /// Checks that the recording has all samples that its header names, so that memory for them can
  /// be allocated. Reads nothing if the number is likely.
  ///
  /// Errors: as read().
  /// Throws: as read().
  /// Cost:   decodes the recording unless is_likely().
  [[nodiscard]] std::optional<RiffFault> holds_all();

 private:
  struct Decoder;

  explicit SoundFile(std::unique_ptr<Decoder> decoder) noexcept;

  std::unique_ptr<Decoder> decoder_;
};

}  // namespace sheaf::internal
