// Opens the recordings of utterances, and finds the samples that an utterance has of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "sheaf/extend/byte_source.h"

#include "format/audio/riff.h"
#include "format/kaldi/kaldi_audio_entries.h"
#include "format/kaldi/kaldi_recording.h"
#include "format/kaldi/kaldi_segments.h"

namespace sheaf::kaldi {

/// What was read of the recording of an utterance.
struct OpenedUtterance {
  std::shared_ptr<const ByteSource> source;
  std::int64_t begin_bytes = 0;      // of the object in the source
  std::span<const std::byte> bytes;  // of the object, from its first one
  const OpenedRecording& recording;
};

/// How recordings are read.
struct OpenRules {
  std::int64_t object_bytes_max = 0;  // an object of a known size is read up to here
  std::int64_t read_size_bytes = 0;
  std::int64_t gap_max_bytes = 0;  // as of internal::read_pieces()

  /// Whether `take` decodes samples. Then an utterance of Ogg or MP3 has a decoder of its own,
  /// since values depend on what the decoder decoded before.
  bool reads_samples = false;
};

/// Reads the starts of recordings, and calls `take` for each utterance whose recording was looked
/// at. Utterances of one recording that follow each other get one read. An utterance whose line or
/// key is wrong, whose file is not there, or whose offset lies behind the file gets a fault in
/// place of a call.
///
/// Lifetime: what `take` gets ends with the call.
/// Throws:   IoError; what `take` throws.
void open_utterances(
    std::span<Utterance> utterances, const AudioEntries& entries, const OpenRules& rules,
    const std::function<void(std::size_t number, const OpenedUtterance& opened)>& take);

/// What an utterance has of its recording.
struct UtterancePart {
  SampleRange samples;
  std::int64_t channel_count = 0;
  int channel = Segment::kAllChannels;  // of the recording, from 0
};

/// Returns the part of an utterance. The fault of a wrong segment is that of the utterance.
///
/// Errors: as samples_of(); a channel that the recording does not have; a recording without
///         samples, or with 2^31 samples or more.
[[nodiscard]] std::variant<UtterancePart, internal::RiffFault> part_of(Utterance& utterance,
                                                                       const Recording& recording);

/// Returns the channels and the rate of a recording with a good format; zeros for others.
struct AudioForm {
  std::int64_t channel_count = 0;
  std::int64_t rate = 0;
};
[[nodiscard]] AudioForm form_of(const Utterance& utterance, const OpenedRecording& opened) noexcept;

}  // namespace sheaf::kaldi
