// The list of a data set, FILE.idx, and what it says of the documents.

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

/// What a header says, and where the parts of the list begin. A document is a row of sequences. A
/// sequence is a row of tokens.
struct ListHeader {
  TokenType type;
  std::int64_t sequence_count = 0;
  std::int64_t document_count = 0;

  /// Returns where the number of tokens of a sequence stands: 4 bytes.
  [[nodiscard]] std::int64_t length_place(std::int64_t sequence) const noexcept {
    return kHeaderSize + sequence * 4;
  }
  /// Returns where the place of a sequence in the tokens stands: 8 bytes.
  [[nodiscard]] std::int64_t pointer_place(std::int64_t sequence) const noexcept {
    return length_place(sequence_count) + sequence * 8;
  }
  /// Returns where the first sequence of a document stands: 8 bytes. Behind the last document the
  /// number of sequences stands.
  [[nodiscard]] std::int64_t document_place(std::int64_t document) const noexcept {
    return pointer_place(sequence_count) + document * 8;
  }
  /// Returns how many bytes the list has, without modes: a byte for each sequence, at the end.
  [[nodiscard]] std::int64_t size_bytes() const noexcept {
    return document_place(document_count + 1);
  }
};

/// Returns a diagnostic about a place of a file.
[[nodiscard]] Diagnostic place_in(const ByteSource& file, const ErrorKind& kind,
                                  std::int64_t byte_offset, std::string found);

/// Reads and checks the header.
///
/// Throws: DataError, also where the list has another size than the header says; IoError.
[[nodiscard]] ListHeader read_header(const ByteSource& list);

/// Returns the bytes of a header.
///
/// Pre: 0 <= sequence_count, document_count < 2^63 - 1.
[[nodiscard]] std::array<std::byte, kHeaderSize> header_bytes(const ListHeader& header);

/// Consecutive documents: the sequences of each, and their tokens.
struct Documents {
  std::int64_t first_token_byte = 0;       // in the file of the tokens
  std::vector<std::int64_t> token_counts;  // of each document
  std::int64_t token_count = 0;            // of all of them
};

/// Reads what the list says of `count` documents.
///
/// Pre:    the documents exist, and the list was scanned.
/// Throws: IoError, also where the list is not the one that was scanned.
[[nodiscard]] Documents read_documents(const ByteSource& list, const ListHeader& header,
                                       std::int64_t first, std::int64_t count,
                                       std::int64_t tokens_size_bytes);

}  // namespace sheaf::megatron
