// Opens the recordings of utterances, and finds the samples of an utterance.

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

/// The bytes read of an utterance's recording.
struct OpenedUtterance {
  std::shared_ptr<const ByteSource> source;
  std::int64_t begin_bytes = 0;      // start of the object in the source
  std::span<const std::byte> bytes;  // the first bytes of the object
  const OpenedRecording& recording;
};

/// The rules for reading recordings.
struct OpenRules {
  std::int64_t object_bytes_max = 0;  // an object of a known size is read up to this size
  std::int64_t read_size_bytes = 0;
  std::int64_t gap_max_bytes = 0;  // as for internal::read_pieces()

  /// Whether `take` decodes samples. Then an utterance of Ogg or MP3 gets a decoder of its own,
  /// because the values depend on earlier reads of the decoder.
  bool reads_samples = false;
};

/// Reads the starts of recordings. Calls `take` for each utterance whose recording could be
/// examined. Consecutive utterances of the same recording share one read. If the line or key of an
/// utterance is wrong, its file does not exist, or its offset lies after the end of the file, the
/// utterance gets a fault instead of a call.
///
/// Lifetime: the arguments of `take` are valid during the call.
/// Throws:   IoError; the exceptions of `take`.
void open_utterances(
    std::span<Utterance> utterances, const AudioEntries& entries, const OpenRules& rules,
    const std::function<void(std::size_t number, const OpenedUtterance& opened)>& take);

/// The part of a recording that an utterance uses.
struct UtterancePart {
  SampleRange samples;
  std::int64_t channel_count = 0;
  int channel = Segment::kAllChannels;  // of the recording, counted from 0
};

/// Returns the part of an utterance. Sets the fault of the utterance if its segment is wrong.
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
