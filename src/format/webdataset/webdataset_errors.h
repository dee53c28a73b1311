// The errors in tar shards.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::webdataset {

using internal::ErrorKind;

// Errors of sequences.
inline constexpr ErrorKind kRepeatedKey{"webdataset-repeated-key", "a key that was not there yet"};
inline constexpr ErrorKind kRepeatedEntry{"webdataset-repeated-entry",
                                          "one entry for each stream of a sequence"};
inline constexpr ErrorKind kFrameOrder{"webdataset-frame-order", "frames with rising numbers"};
inline constexpr ErrorKind kMissing{"webdataset-missing", "an entry of the stream"};
inline constexpr ErrorKind kLabel{"webdataset-label", "a whole number of 32 bits"};
inline constexpr ErrorKind kClass{"webdataset-class", "a number of a class"};

// Errors of whole files.
inline constexpr ErrorKind kDamaged{"webdataset-damaged", "a tar archive"};
inline constexpr ErrorKind kEmpty{"webdataset-empty", "at least one entry such as 0001.jpg"};
inline constexpr ErrorKind kNumericKey{"webdataset-numeric-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kSuffix{"webdataset-suffix", "a suffix of printable ASCII"};
inline constexpr ErrorKind kSuffixCount{"webdataset-suffix-count", "at most 1000 suffixes"};
inline constexpr ErrorKind kNoStream{"webdataset-no-stream", "entries of the stream"};

// Warnings.
inline constexpr ErrorKind kNoSuffix{"webdataset-no-suffix", "names with a dot, such as 0001.jpg"};
inline constexpr ErrorKind kLinks{"webdataset-links", "files in place of links"};
inline constexpr ErrorKind kDropped{"webdataset-dropped",
                                    "sequences with the stream that defines the minibatch size"};
inline constexpr ErrorKind kIndexFile{"webdataset-index-file", "an index file"};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{"webdataset-written-key",
                                       "a key that names an entry: no dot behind the last slash"};
inline constexpr ErrorKind kWrittenRepeated{"webdataset-written-repeated",
                                            "a key that no sequence before has"};
inline constexpr ErrorKind kWrittenCount{"webdataset-written-count", "one sample"};
inline constexpr ErrorKind kWrittenNothing{"webdataset-written-nothing",
                                           "a sequence with at least one sample"};
inline constexpr ErrorKind kWrittenImage{"webdataset-written-image",
                                         "an image in JPEG, PNG or WebP"};
inline constexpr ErrorKind kWrittenLabel{"webdataset-written-label",
                                         "a sparse sample with a single 1"};

}  // namespace sheaf::webdataset
