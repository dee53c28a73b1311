// One recording that a list or an archive of Kaldi has.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "sheaf/extend/byte_source.h"

#include "format/audio/riff.h"
#include "format/audio/sound_file.h"
#include "format/kaldi/kaldi_command.h"

namespace sheaf::kaldi {

/// Where a recording is, and how the list leads there.
struct RecordingPlace {
  std::int64_t begin_bytes = 0;  // in the source
  bool is_whole_file = false;    // the list names a file without an offset, or a command
  Decoder decoder = Decoder::none;
  int channel = 0;  // that the command picks, from 1; 0 means all
};

/// What the head of a recording says.
struct Recording {
  std::int64_t channel_count = 0;  // of which a command may have picked one
  std::int64_t rate = 0;
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;        // of the whole object in its source, or of decoded samples
  std::int64_t bytes_per_sample = 0;  // of all channels, as they are stored, or 2 for each one
  std::int64_t format_bytes = 0;      // where the source tells the channels and the rate
  internal::RiffAudio riff{};         // of a RIFF file

  /// Decodes the samples of other files. One thread at a time may use the decoder, as long as the
  /// source is there.
  std::shared_ptr<internal::SoundFile> sound{};
};

using OpenedRecording = std::variant<Recording, internal::RiffFault>;

/// Returns whether an object may be a recording, by its first bytes. Six bytes suffice.
[[nodiscard]] bool begins_recording(std::span<const std::byte> head, bool is_whole_file) noexcept;

/// Finds the samples of a recording. `head` are the first bytes of the object, as many as the
/// caller has read, and at least internal::kKaldiHeadSize, or all up to the end of the source.
///
/// Errors: objects that are no recordings; what find_riff_audio(), SoundFile::open() and
///         SoundFile::holds_all() find; a file that the command does not decode; a channel that the
///         file does not have.
/// Throws: IoError; ConfigError where the recording needs libsndfile and there is none.
[[nodiscard]] OpenedRecording open_recording(const ByteSource& source, const RecordingPlace& place,
                                             std::span<const std::byte> head);

}  // namespace sheaf::kaldi
