// Recordings that are not RIFF: FLAC, Ogg, MP3 and SPHERE, decoded by libsndfile.

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

// What can be wrong with a recording that libsndfile decodes.
inline constexpr ErrorKind kSoundHeader{"sound-header", "a header that libsndfile reads"};
inline constexpr ErrorKind kSoundChannels{"sound-channels", "1 to 1024 channels"};
inline constexpr ErrorKind kSoundLength{"sound-length",
                                        "a header that tells the number of samples"};
inline constexpr ErrorKind kSoundCut{"sound-cut", "as many samples as the header says"};
inline constexpr ErrorKind kSoundData{"sound-data", "data that libsndfile decodes"};

/// How the samples of a recording are compressed.
enum class SoundCoding : std::uint8_t { flac, ogg, mp3, sphere };

/// Returns "FLAC", "Ogg", "MP3" or "SPHERE".
[[nodiscard]] std::string_view name_of(SoundCoding coding) noexcept;

/// Returns the coding of a recording by its first bytes; nothing where they are of none.
///
/// An MP3 file begins with a tag (ID3) or with a frame: 11 bits of ones. Two bytes decide little,
/// so `may_be_mp3` says whether the file claims to be MP3, as by its extension: otherwise only a
/// tag counts.
[[nodiscard]] std::optional<SoundCoding> sound_coding_of(std::span<const std::byte> head,
                                                         bool may_be_mp3 = false) noexcept;

/// How many bytes sound_coding_of() looks at.
inline constexpr std::int64_t kSoundHeadBytes = 16;

/// Most channels of a recording.
inline constexpr std::int64_t kSoundChannelsMax = 1024;

/// The bytes of a source that a recording takes: the whole source, or an entry of an archive.
struct SoundPlace {
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;
};

/// What the header of a recording says. A sample has a value for each channel.
struct SoundAudio {
  SoundCoding coding = SoundCoding::flac;
  std::int64_t channel_count = 0;  // 1 to kSoundChannelsMax
  std::int64_t rate = 0;           // samples a second, at least 1
  std::int64_t sample_count = 0;   // 0: empty

  friend bool operator==(const SoundAudio&, const SoundAudio&) = default;
};

/// One open recording.
///
/// A header that names more samples than its bytes can hold is a fault, so sample_count is at most
/// 8192 times the bytes of the place. A header may still lie within this limit; see holds_all().
///
/// Threads: one thread at a time. Each thread opens a decoder of its own.
class SoundFile {
 public:
  /// Most samples that a byte of a recording stands for.
  static constexpr std::int64_t kSamplesPerByteMax = 8192;

  /// Returns whether recordings of so many bytes often have so many values, those of all channels:
  /// up to 64 for each byte. holds_all() decodes the others.
  [[nodiscard]] static bool is_likely(std::int64_t value_count, std::int64_t size_bytes) noexcept;

  /// Opens a recording, and reads its header. Only bytes of the place are read, and no file is
  /// opened. A fault has the offset in the source of the recording, or of the frame of MP3.
  ///
  /// Lifetime: `source` must outlive the result.
  /// Pre:      0 <= begin_bytes <= end_bytes <= the source's size.
  /// Throws:   ConfigError, which names the source, where libsndfile is missing or does not know
  ///           the coding; IoError of the source; what an Interruption throws.
  /// Cost:     reads of 4 KiB and more; no samples are decoded. See find_mp3_frames() for MP3, and
  ///           cut_end_of() for Ogg.
  [[nodiscard]] static std::variant<SoundFile, RiffFault> open(const ByteSource& source,
                                                               const SoundPlace& place,
                                                               SoundCoding coding);

  SoundFile(SoundFile&& other) noexcept;
  SoundFile& operator=(SoundFile&& other) noexcept;
  ~SoundFile();

  [[nodiscard]] const SoundAudio& audio() const noexcept;

  /// Decodes samples from `first` on. Channels lie side by side in `to`.
  ///
  /// A value is the stored number times a power of two, exactly, for FLAC and SPHERE. Lossy
  /// recordings may have values beyond full scale.
  ///
  /// Errors:      a fault where the data is damaged or ends early; `to` is then unspecified.
  /// Determinism: values of FLAC and SPHERE depend on the place alone. Those of Ogg and MP3 also
  ///              depend on where the reads began: a read that goes on where the last one ended
  ///              gives the values of one long read, and another read seeks. They may differ in
  ///              the last bits between versions of libsndfile.
  /// Pre:         0 <= first, and first + to.size() / channel_count <= sample_count; to.size() is
  ///              a multiple of channel_count.
  /// Throws:      as open(). Whether reads go on after an exception or a fault is unspecified.
  [[nodiscard]] std::optional<RiffFault> read(std::int64_t first, SampleScale scale,
                                              std::span<float> to);

  /// Checks that the recording has all samples that its header names, so that memory for them may
  /// be taken. Nothing is read where the number is likely.
  ///
  /// Errors: as read().
  /// Throws: as read().
  /// Cost:   decodes the recording where is_likely() says no.
  [[nodiscard]] std::optional<RiffFault> holds_all();

 private:
  struct Decoder;

  explicit SoundFile(std::unique_ptr<Decoder> decoder) noexcept;

  std::unique_ptr<Decoder> decoder_;
};

}  // namespace sheaf::internal
