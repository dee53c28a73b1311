// The errors in a manifest. format/audio/riff.h has the errors in a WAV file.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::manifest {

using internal::ErrorKind;

// Errors of the whole manifest.
inline constexpr ErrorKind kNoSequence{"manifest-empty", "at least one sequence"};
inline constexpr ErrorKind kRepeatedKey{"manifest-repeated-key", "keys that differ"};
inline constexpr ErrorKind kTooLong{"manifest-long", "shorter sequences"};
inline constexpr ErrorKind kIndexFile{"manifest-index-file", ""};
inline constexpr ErrorKind kNumericKey{"manifest-numeric-key", internal::kNumericKeyExpected};

// Errors in a line.
inline constexpr ErrorKind kJson{"manifest-json", "a JSON object on each line"};
inline constexpr ErrorKind kNoUtterance{
    "manifest-line",
    "an utterance of NeMo (audio_filepath), or a cut of lhotse (id, start, "
    "duration, and recording or features)"};
inline constexpr ErrorKind kOtherLine{"manifest-other-line",
                                      "lines of one kind: utterances of NeMo, or cuts of lhotse"};
inline constexpr ErrorKind kRepeatedField{"manifest-repeated-field", "each field once"};
inline constexpr ErrorKind kNoField{"manifest-field", "the field"};
inline constexpr ErrorKind kString{"manifest-type", "a string"};
inline constexpr ErrorKind kText{"manifest-type", "a string or a number"};
inline constexpr ErrorKind kObject{"manifest-type", "an object"};
inline constexpr ErrorKind kArray{"manifest-type", "an array"};
inline constexpr ErrorKind kSeconds{"manifest-number", "a number of seconds, 0 or more"};
inline constexpr ErrorKind kPositive{"manifest-number", "a number above 0"};
inline constexpr ErrorKind kCount{"manifest-number", "a whole number from 0 to 2^31-1"};
inline constexpr ErrorKind kPath{"manifest-path", "the path of a file"};
inline constexpr ErrorKind kTarred{
    "manifest-tarred", "a file for each line; unpack the shards, as shard_id says a tar file"};
inline constexpr ErrorKind kMissingFile{"manifest-missing-file", "a file that is there"};
inline constexpr ErrorKind kBeyond{"manifest-range", "a part that lies inside the file"};
inline constexpr ErrorKind kNoSamples{"manifest-no-samples", "at least one sample"};
inline constexpr ErrorKind kTooMany{"manifest-samples", "fewer than 2^32-1 samples"};

// Errors in a cut of lhotse.
inline constexpr ErrorKind kCutType{"manifest-cut-type", "a MonoCut"};
inline constexpr ErrorKind kTransforms{
    "manifest-transforms",
    "a recording as it is stored; lhotse stores a changed one with save_audios"};
inline constexpr ErrorKind kSourceType{
    "manifest-source",
    "a source of the type file; lhotse stores the recordings as files with save_audios"};
inline constexpr ErrorKind kNoChannel{"manifest-channel", "a channel that a source has"};
inline constexpr ErrorKind kStorage{"manifest-storage",
                                    "features in numpy_files or kaldiio; lhotse copies others with "
                                    "copy_feats and NumpyFilesWriter"};
inline constexpr ErrorKind kKaldiPath{
    "manifest-storage",
    "a file, a colon and the offset of an object; features of a feats.scp have such paths where "
    "lhotse imports the folder of Kaldi"};

// Errors in the files.
inline constexpr ErrorKind kOffset{"manifest-offset", "an offset inside the file"};
inline constexpr ErrorKind kMatrix{"manifest-object", "a matrix of Kaldi: FM, DM, CM, CM2 or CM3"};
inline constexpr ErrorKind kOtherDim{"manifest-other-dim", "the channels or the dim of the stream"};
inline constexpr ErrorKind kOtherRate{"manifest-other-rate", "the sample rate of all files"};
inline constexpr ErrorKind kChanged{"manifest-changed",
                                    "as many samples as when the manifest was indexed"};

}  // namespace sheaf::manifest
