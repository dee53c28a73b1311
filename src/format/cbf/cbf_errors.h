// What can be wrong with a CBF file: code, expectation. The place is a byte of the file.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"

namespace sheaf::cbf {

using internal::ErrorKind;  // here, a comment says which byte the offset names

// Of the whole file, found when it is opened.
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

// Of a chunk: its sequence count in the table, where its samples are not those of its lengths.
inline constexpr ErrorKind kSampleCount{"cbf-sample-count",
                                        "the sum of the lengths of the chunk's sequences"};

// Of blocks: those behind cannot be found any more. The number that is wrong.
inline constexpr ErrorKind kBlockCut{"cbf-block-cut", "a block that ends within its chunk"};
inline constexpr ErrorKind kEntryCount{"cbf-entry-count", "0 or more stored entries"};
inline constexpr ErrorKind kSlack{"cbf-slack", "the end of the chunk behind its last block"};
inline constexpr ErrorKind kHash{"cbf-hash", "the bytes that were written"};  // where they begin

// Of one block.
inline constexpr ErrorKind kIndexRange{"cbf-index-range", "an index below"};  // the index
inline constexpr ErrorKind kSampleEntries{"cbf-sample-entries",
                                          "counts of entries"};  // the first; the negative one
inline constexpr ErrorKind kMissingStream{"cbf-missing-stream",
                                          "at least one sample in each sequence"};  // the number

// Not wrong, but worth a warning.
inline constexpr ErrorKind kConverted{"cbf-converted", "values of the type that was asked for"};
inline constexpr ErrorKind kUnknownStream{"cbf-unknown-stream", "a stream that the file has"};

/// A number in a chunk that is wrong, and what it is. Texts are made where somebody wants them.
struct WrongNumber {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // whoever makes it says from where on
  std::int64_t found = 0;        // of kBlockCut, the samples; -1 where not even they are there
  std::int64_t limit = 0;        // what it was held against, as the kind has it
  std::int64_t entries = -1;     // of kBlockCut, where it is sparse
};

/// Where in the file it is.
struct WrongPlaceInFile {
  std::int64_t chunk = 0;        // in the table of the file
  std::int64_t sequence = -1;    // in the chunk; -1: it is not in a sequence
  std::string_view stream = {};  // empty: it is not in a stream
};

/// What is wrong at a byte of the file, of an error unless it is made something else.
[[nodiscard]] Diagnostic wrong_at(const ByteSource& source, std::int64_t byte_offset,
                                  const ErrorKind& kind, std::string found, std::string hint = {});

/// The same for a number of a chunk, whose byte_offset is that in the file.
[[nodiscard]] Diagnostic wrong_at(const ByteSource& source, const WrongNumber& wrong,
                                  const WrongPlaceInFile& place);

/// Throw that as a DataError.
[[noreturn]] void throw_wrong(const ByteSource& source, std::int64_t byte_offset,
                              const ErrorKind& kind, std::string found, std::string hint = {});

}  // namespace sheaf::cbf
