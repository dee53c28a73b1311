// Reads a range of the utterances of a chunk.

#pragma once

#include <cstdint>
#include <span>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"

#include "format/kaldi/kaldi_audio_entries.h"
#include "format/kaldi/kaldi_audio_index.h"
#include "format/kaldi/kaldi_audio_options.h"

namespace sheaf::kaldi {

/// The context of a range.
struct AudioRange {
  const AudioEntries& entries;
  const AudioIndex& index;
  const AudioOptions& options;
  const SequenceTable& table;  // of the chunk
  std::int64_t first = 0;      // number of the first sequence of the range
};

/// Reads consecutive utterances of a chunk. An utterance with an error becomes a hole. Small
/// recordings are read whole. For other recordings, only the samples of the utterances are read.
///
/// Throws: IoError.
[[nodiscard]] Chunk read_recordings(std::span<Utterance> utterances, const AudioRange& from,
                                    Diagnostics& diagnostics);

}  // namespace sheaf::kaldi
