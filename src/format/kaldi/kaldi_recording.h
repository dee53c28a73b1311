// One recording of a list or an archive of Kaldi.

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

/// The location of a recording, and how the list names it.
struct RecordingLocation {
  std::int64_t begin_bytes = 0;  // in the source
  bool is_whole_file = false;    // the list names a file without an offset, or a command
  Decoder decoder = Decoder::none;
  int channel = 0;  // the channel that the command picks, counted from 1; 0 means all
};

/// The contents of a recording's head.
struct Recording {
  std::int64_t channel_count = 0;  // before a command picks one of them
  std::int64_t rate = 0;
  std::int64_t sample_count = 0;
  std::int64_t size_bytes = 0;  // of the whole object in its source, or of the decoded samples
  std::int64_t bytes_per_sample = 0;  // of all channels, as stored; or 2 for each decoded channel
  std::int64_t format_bytes = 0;      // offset in the source of the channels and the rate
  internal::RiffAudio riff{};         // of a RIFF file

  /// Decodes the samples of other files. Only one thread at a time may use the decoder. The source
  /// must outlive the decoder.
  std::shared_ptr<internal::SoundFile> sound{};
};

using OpenedRecording = std::variant<Recording, internal::RiffFault>;

/// Returns whether the first bytes of an object may be a recording. Six bytes suffice.
[[nodiscard]] bool begins_recording(std::span<const std::byte> head, bool is_whole_file) noexcept;

/// Finds the samples of a recording. `head` has the first bytes of the object that the caller has
/// read: at least internal::kKaldiHeadSize, or all up to the end of the source.
///
/// Errors: objects that are not recordings; the errors of find_riff_audio(), SoundFile::open() and
///         SoundFile::holds_all(); a file that the command does not decode; a channel that the file
///         does not have.
/// Throws: IoError; ConfigError if the recording needs libsndfile, which is not there.
[[nodiscard]] OpenedRecording open_recording(const ByteSource& source,
                                             const RecordingLocation& location,
                                             std::span<const std::byte> head);

}  // namespace sheaf::kaldi
