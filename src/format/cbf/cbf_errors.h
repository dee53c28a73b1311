// The errors in a CBF file: their codes and expectations. A diagnostic points to a byte of the
// file.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"

namespace sheaf::cbf {

using internal::ErrorKind;  // the comments say which byte the offset points to

// Errors of the whole file, found when the file is opened.
inline constexpr ErrorKind kTruncated{"cbf-truncated", "a whole CBF file"};   // the end of the file
inline constexpr ErrorKind kMagicWrong{"cbf-magic", "the CBF magic number"};  // the number
inline constexpr ErrorKind kHeaderFirst{"cbf-header-first", "a CBF file, which ends in its header"};
inline constexpr ErrorKind kVersionWrong{"cbf-version", "version 1"};
inline constexpr ErrorKind kTrailer{"cbf-trailer", "the offset of the header"};  // the last 8 bytes
inline constexpr ErrorKind kStreamCount{"cbf-stream-count",
                                        "1 or more streams that the header has room for"};
inline constexpr ErrorKind kStorage{"cbf-storage", "storage 0 (dense) or 1 (sparse)"};
inline constexpr ErrorKind kName{"cbf-name", "a stream name in UTF-8"};
inline constexpr ErrorKind kNameSize{"cbf-name-size",
                                     "a name size from 1 to 1048576 within the header"};
inline constexpr ErrorKind kRepeatedName{"cbf-repeated-name", "a name of its own for each stream"};
inline constexpr ErrorKind kElementType{"cbf-element-type", "element type 0 (f32) or 1 (f64)"};
inline constexpr ErrorKind kDim{"cbf-dim", "a dim of 1 or more, for sparse below 2147483648"};
inline constexpr ErrorKind kChunkCount{"cbf-chunk-count",
                                       "no more chunks than the table has room for"};
inline constexpr ErrorKind kEmpty{"cbf-empty", "at least one sequence"};
inline constexpr ErrorKind kChunkOffset{"cbf-chunk-offset",
                                        "chunks one after the other between prefix and header"};
inline constexpr ErrorKind kSequenceCount{"cbf-sequence-count",
                                          "no more sequences than the chunk has room for"};
inline constexpr ErrorKind kChecks{"cbf-checks", "checks that fit the file"};

// Errors of a chunk: its sequence count in the table if the chunk's samples differ from its
// lengths.
inline constexpr ErrorKind kSampleCount{"cbf-sample-count",
                                        "the sum of the lengths of the chunk's sequences"};

// Errors of blocks that hide the blocks after them: the wrong number.
inline constexpr ErrorKind kBlockCut{"cbf-block-cut", "a block that ends within its chunk"};
inline constexpr ErrorKind kEntryCount{"cbf-entry-count", "0 or more stored entries"};
inline constexpr ErrorKind kSlack{"cbf-slack", "the end of the chunk behind its last block"};
inline constexpr ErrorKind kHash{"cbf-hash", "the bytes that were written"};  // start of the bytes

// Errors of one block.
inline constexpr ErrorKind kIndexRange{"cbf-index-range", "an index below"};  // the index
inline constexpr ErrorKind kSampleEntries{"cbf-sample-entries",
                                          "counts of entries"};  // the first; or the negative one
inline constexpr ErrorKind kMissingStream{"cbf-missing-stream",
                                          "at least one sample in each sequence"};  // the number

// Warnings.
inline constexpr ErrorKind kConverted{"cbf-converted", "values of the type that was asked for"};
inline constexpr ErrorKind kUnknownStream{"cbf-unknown-stream", "a stream that the file has"};

/// A wrong number in a chunk. Texts are made from it only if they are needed.
struct WrongNumber {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // the caller defines from where it counts
  std::int64_t found = 0;        // for kBlockCut the samples; -1 if even their count is missing
  std::int64_t limit = 0;        // the bound that the kind of error compares with
  std::int64_t entries = -1;     // for kBlockCut of a sparse block
};

/// The location of an error in the file.
struct ErrorLocation {
  std::int64_t chunk = 0;        // in the table of the file
  std::int64_t sequence = -1;    // in the chunk; -1 if not in a sequence
  std::string_view stream = {};  // empty if not in a stream
};

/// Returns a diagnostic at a byte of the file, with the severity `error`.
[[nodiscard]] Diagnostic wrong_at(const ByteSource& source, std::int64_t byte_offset,
                                  const ErrorKind& kind, std::string found, std::string hint = {});

/// Returns a diagnostic about a number of a chunk. Its byte_offset counts from the start of the
/// file.
[[nodiscard]] Diagnostic wrong_at(const ByteSource& source, const WrongNumber& wrong,
                                  const ErrorLocation& location);

/// Throws such a diagnostic as a DataError.
[[noreturn]] void throw_wrong(const ByteSource& source, std::int64_t byte_offset,
                              const ErrorKind& kind, std::string found, std::string hint = {});

}  // namespace sheaf::cbf
