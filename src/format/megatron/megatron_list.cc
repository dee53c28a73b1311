#include "format/megatron/megatron_list.h"

#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::megatron {
namespace {

using internal::load;

constexpr std::int64_t kVersionAt = 9;
constexpr std::int64_t kTypeAt = 17;
constexpr std::int64_t kSequencesAt = 18;
constexpr std::int64_t kDocumentsAt = 26;
constexpr std::uint64_t kVersionNumber = 1;

[[noreturn]] void fail(const ByteSource& list, const ErrorKind& kind, std::int64_t byte_offset,
                       std::string found) {
  throw DataError({location_in(list, kind, byte_offset, std::move(found))});
}

// The largest count. No sum of offsets overflows.
constexpr std::uint64_t kCountMax = std::uint64_t{1} << 58;

void check_size(const ByteSource& list, const ListHeader& header) {
  const std::int64_t size = list.size();
  if (size == header.size_bytes() || size == header.size_bytes() + header.sequence_count) return;
  fail(list, kSize, Diagnostic::kNoOffset,
       formatted("{} bytes; {} sequences and {} documents take {}", size, header.sequence_count,
                 header.document_count, header.size_bytes()));
}

std::vector<std::byte> bytes_at(const ByteSource& list, std::int64_t offset, std::int64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  list.read_at(offset, bytes);
  return bytes;
}

[[noreturn]] void fail_changed(const ByteSource& list) {
  throw IoError(formatted("{}: was changed after it was opened", list.name()));
}

}  // namespace

Diagnostic location_in(const ByteSource& file, const ErrorKind& kind, std::int64_t byte_offset,
                       std::string found) {
  return {.path = std::string(file.name()),
          .byte_offset = byte_offset,
          .code = std::string(kind.code),
          .expected = std::string(kind.expected),
          .found = std::move(found)};
}

ListHeader read_header(const ByteSource& list) {
  if (list.size() < kHeaderSize) {
    fail(list, kHeader, 0, formatted("a file of {} bytes", list.size()));
  }
  const std::vector<std::byte> bytes = bytes_at(list, 0, kHeaderSize);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) fail(list, kHeader, 0, quoted(text.substr(0, kMagic.size())));
  const auto version = load<std::uint64_t>(bytes.data() + kVersionAt);
  if (version != kVersionNumber) fail(list, kVersion, kVersionAt, formatted("{}", version));
  const auto code = load<std::uint8_t>(bytes.data() + kTypeAt);
  const std::optional<TokenType> type = token_type_of_code(code);
  if (!type) fail(list, kType, kTypeAt, formatted("{}", static_cast<int>(code)));
  const auto sequences = load<std::uint64_t>(bytes.data() + kSequencesAt);
  const auto documents = load<std::uint64_t>(bytes.data() + kDocumentsAt);
  if (sequences > kCountMax) fail(list, kSize, kSequencesAt, formatted("{} sequences", sequences));
  if (documents > kCountMax) fail(list, kSize, kDocumentsAt, formatted("{} documents", documents));
  if (documents < 2) fail(list, kEmpty, kDocumentsAt, "none");
  const ListHeader header{.type = *type,
                          .sequence_count = static_cast<std::int64_t>(sequences),
                          .document_count = static_cast<std::int64_t>(documents) - 1};
  check_size(list, header);
  return header;
}

std::array<std::byte, kHeaderSize> header_bytes(const ListHeader& header) {
  std::array<std::byte, kHeaderSize> bytes{};
  const auto put = [&](std::int64_t at, const auto& value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  put(kVersionAt, kVersionNumber);
  put(kTypeAt, header.type.code);
  put(kSequencesAt, header.sequence_count);
  put(kDocumentsAt, header.document_count + 1);
  return bytes;
}

Documents read_documents(const ByteSource& list, const ListHeader& header, std::int64_t first,
                         std::int64_t count, std::int64_t tokens_size_bytes) {
  Documents documents;
  documents.token_counts.reserve(static_cast<std::size_t>(count));
  const std::vector<std::byte> starts =
      bytes_at(list, header.document_location(first), (count + 1) * 8);
  const auto sequence = load<std::int64_t>(starts.data());
  const auto end = load<std::int64_t>(starts.data(), count);
  if (sequence < 0 || end < sequence || end > header.sequence_count) fail_changed(list);
  if (sequence < header.sequence_count) {
    documents.first_token_byte =
        load<std::int64_t>(bytes_at(list, header.pointer_location(sequence), 8).data());
  } else {
    documents.first_token_byte = 0;  // the documents have no sequences
  }
  const std::vector<std::byte> lengths =
      bytes_at(list, header.length_location(sequence), (end - sequence) * 4);
  std::int64_t at = sequence;
  for (std::int64_t document = 0; document < count; ++document) {
    const auto next = load<std::int64_t>(starts.data(), document + 1);
    if (next < at || next > end) fail_changed(list);
    std::int64_t tokens = 0;
    for (; at < next; ++at) {
      const auto length = load<std::int32_t>(lengths.data(), at - sequence);
      if (length < 0) fail_changed(list);
      tokens += length;
    }
    documents.token_counts.push_back(tokens);
    documents.token_count += tokens;
  }
  const std::int64_t size =
      internal::saturated_product(documents.token_count, header.type.size_bytes);
  const bool is_inside = documents.first_token_byte >= 0 && size <= tokens_size_bytes &&
                         documents.first_token_byte <= tokens_size_bytes - size;
  if (!is_inside) fail_changed(list);
  return documents;
}

}  // namespace sheaf::megatron
