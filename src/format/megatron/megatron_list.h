// Reads the list of a data set, FILE.idx, which describes the documents.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"

#include "format/megatron/megatron_errors.h"
#include "format/megatron/megatron_types.h"

namespace sheaf::megatron {

inline constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
inline constexpr std::int64_t kHeaderSize = 34;

/// The contents of a header, and the locations of the parts of the list. A document is a run of
/// sequences. A sequence is a run of tokens.
struct ListHeader {
  TokenType type;
  std::int64_t sequence_count = 0;
  std::int64_t document_count = 0;

  /// Returns the offset of a sequence's number of tokens, which has 4 bytes.
  [[nodiscard]] std::int64_t length_location(std::int64_t sequence) const noexcept {
    return kHeaderSize + sequence * 4;
  }
  /// Returns the offset of the 8-byte number that locates a sequence in the tokens.
  [[nodiscard]] std::int64_t pointer_location(std::int64_t sequence) const noexcept {
    return length_location(sequence_count) + sequence * 8;
  }
  /// Returns the offset of a document's first sequence number, which has 8 bytes. After the last
  /// document there is the number of sequences.
  [[nodiscard]] std::int64_t document_location(std::int64_t document) const noexcept {
    return pointer_location(sequence_count) + document * 8;
  }
  /// Returns the bytes of the list without the modes at its end, which have a byte for each
  /// sequence.
  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return document_location(document_count + 1);
  }
};

/// Returns a diagnostic at a byte of a file.
[[nodiscard]] Diagnostic location_in(const ByteSource& file, const ErrorKind& kind,
                                     std::int64_t byte_offset, std::string found);

/// Reads and checks the header.
///
/// Throws: DataError, also if the size of the list differs from the header; IoError.
[[nodiscard]] ListHeader read_header(const ByteSource& list);

/// Returns the bytes of a header.
///
/// Pre: 0 <= sequence_count, document_count < 2^63 - 1.
[[nodiscard]] std::array<std::byte, kHeaderSize> header_bytes(const ListHeader& header);

/// Consecutive documents: the number of tokens in each, and where their tokens begin.
struct Documents {
  std::int64_t first_token_byte = 0;       // in the file of the tokens
  std::vector<std::int64_t> token_counts;  // of each document
  std::int64_t token_count = 0;            // of all of them
};

/// Reads `count` documents from the list.
///
/// Pre:    the documents exist, and the list was scanned.
/// Throws: IoError, also if the list has changed since it was scanned.
[[nodiscard]] Documents read_documents(const ByteSource& list, const ListHeader& header,
                                       std::int64_t first, std::int64_t count,
                                       std::int64_t tokens_size_bytes);

}  // namespace sheaf::megatron
