#include "format/megatron/megatron_index.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::megatron {
namespace {

/// The numbers in one part of the list, one after the other.
template <typename T>
class NumbersOfList {
 public:
  NumbersOfList(const ByteSource& list, std::int64_t begin, std::int64_t count,
                std::int64_t read_size_bytes)
      : list_(list),
        begin_(begin),
        count_(count),
        block_(std::clamp<std::int64_t>(read_size_bytes / kSize, 1, kBlockMax)) {}

  [[nodiscard]] std::int64_t location() const noexcept { return begin_ + next_ * kSize; }

  /// Pre: at most `count` calls.
  T next() {
    if (next_ == block_end_) read_block();
    const T value = internal::load<T>(bytes_.data(), next_ - block_first_);
    ++next_;
    return value;
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T);
  static constexpr std::int64_t kBlockMax = 1 << 16;

  void read_block() {
    block_first_ = next_;
    block_end_ = std::min(count_, next_ + block_);
    bytes_.resize(static_cast<std::size_t>((block_end_ - block_first_) * kSize));
    list_.read_at(begin_ + block_first_ * kSize, bytes_);
  }

  const ByteSource& list_;
  const std::int64_t begin_;
  const std::int64_t count_;
  const std::int64_t block_;
  std::vector<std::byte> bytes_;
  std::int64_t next_ = 0;
  std::int64_t block_first_ = 0;
  std::int64_t block_end_ = 0;
};

/// Scans a list once.
class ListScan {
 public:
  ListScan(const ListParts& parts, std::int64_t chunk_size_bytes, std::int64_t read_size_bytes)
      : parts_(parts),
        chunk_size_bytes_(chunk_size_bytes),
        lengths_(parts.list, parts.header.length_location(0), parts.header.sequence_count,
                 read_size_bytes),
        pointers_(parts.list, parts.header.pointer_location(0), parts.header.sequence_count,
                  read_size_bytes),
        documents_(parts.list, parts.header.document_location(0), parts.header.document_count + 1,
                   read_size_bytes) {}

  std::vector<ChunkLocation> run() {
    const std::int64_t token_size = parts_.header.type.size_bytes;
    take_document_start(0);
    locations_.push_back({});
    std::int64_t chunk_bytes = 0;
    for (std::int64_t document = 0; document < parts_.header.document_count; ++document) {
      const std::int64_t before = token_count_;
      const bool is_last = document + 1 == parts_.header.document_count;
      const std::int64_t end =
          take_document_start(is_last ? parts_.header.sequence_count : sequence_);
      while (sequence_ < end) take_sequence();
      const std::int64_t bytes = (token_count_ - before) * token_size;
      const bool is_first = locations_.back().first_document == document;
      if (!is_first && bytes > chunk_size_bytes_ - chunk_bytes) {
        locations_.push_back({.first_document = document, .first_token = before});
        chunk_bytes = 0;
      }
      chunk_bytes = internal::saturated_sum(chunk_bytes, bytes);
    }
    locations_.push_back(
        {.first_document = parts_.header.document_count, .first_token = token_count_});
    return std::move(locations_);
  }

 private:
  // `least` is the smallest allowed number. For the first and the last number, it is the only one.
  std::int64_t take_document_start(std::int64_t least) {
    const std::int64_t location = documents_.location();
    const auto start = documents_.next();
    const std::int64_t all = parts_.header.sequence_count;
    const bool is_fixed = location == parts_.header.document_location(0) ||
                          location == parts_.header.document_location(parts_.header.document_count);
    if (start < least || start > all || (is_fixed && start != least)) {
      fail(kDocument, location, formatted("{}, with {} sequences", start, all));
    }
    return start;
  }

  void take_sequence() {
    const std::int64_t length_location = lengths_.location();
    const auto length = lengths_.next();
    if (length < 0) fail(kLength, length_location, formatted("{}", length));
    const std::int64_t pointer_location = pointers_.location();
    const auto pointer = pointers_.next();
    const std::int64_t token_size = parts_.header.type.size_bytes;
    const std::int64_t begin = token_count_ * token_size;
    if (pointer != begin) {
      fail(kPointer, pointer_location, formatted("{}, where {} was expected", pointer, begin));
    }
    if (length > (parts_.tokens_size_bytes - begin) / token_size) {
      fail(kTokens, length_location,
           formatted("a file of {} bytes, where sequence {} ends at {}", parts_.tokens_size_bytes,
                     sequence_, begin + length * token_size));
    }
    token_count_ += length;
    ++sequence_;
  }

  [[noreturn]] void fail(const ErrorKind& kind, std::int64_t location, std::string found) const {
    throw DataError({location_in(parts_.list, kind, location, std::move(found))});
  }

  const ListParts& parts_;
  const std::int64_t chunk_size_bytes_;
  NumbersOfList<std::int32_t> lengths_;
  NumbersOfList<std::int64_t> pointers_;
  NumbersOfList<std::int64_t> documents_;
  std::int64_t sequence_ = 0;
  std::int64_t token_count_ = 0;
  std::vector<ChunkLocation> locations_;
};

}  // namespace

std::vector<ChunkLocation> scan_list(const ListParts& parts, std::int64_t chunk_size_bytes,
                                     std::int64_t read_size_bytes) {
  return ListScan(parts, chunk_size_bytes, read_size_bytes).run();
}

MegatronIndex::MegatronIndex(const ListParts& parts, ElementType dtype,
                             std::vector<ChunkLocation> locations)
    : parts_(parts), dtype_(dtype), locations_(std::move(locations)) {}

std::optional<ChunkInfo> MegatronIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (number + 1 >= std::ssize(locations_)) return std::nullopt;
  const ChunkLocation& location = locations_[static_cast<std::size_t>(number)];
  const ChunkLocation& end = locations_[static_cast<std::size_t>(number + 1)];
  const std::int64_t documents = end.first_document - location.first_document;
  const std::int64_t tokens = end.first_token - location.first_token;
  const std::int64_t token_size = parts_.header.type.size_bytes;
  const std::int64_t values = internal::saturated_product(tokens, element_size(dtype_));
  return ChunkInfo{.offset_bytes = location.first_token * token_size,
                   .size_bytes = tokens * token_size,
                   .sequence_count = documents,
                   .sample_count = tokens,
                   .decoded_size_bytes = internal::saturated_sum(values, (documents + 1) * 8)};
}

std::shared_ptr<const SequenceTable> MegatronIndex::sequences(ChunkIndex chunk) const {
  const std::int64_t first = first_document(chunk);
  const std::int64_t count = first_document(next(chunk)) - first;
  SequenceTable::Builder table;
  std::int64_t offset = 0;
  std::int64_t document = first;
  for (const std::int64_t tokens : documents(first, count).token_counts) {
    const std::int64_t bytes = tokens * parts_.header.type.size_bytes;
    table.push_back({.key = {.low = static_cast<std::uint64_t>(document++)},
                     .offset_bytes = offset,
                     .sample_count = tokens});
    offset += bytes;
  }
  return std::make_shared<const SequenceTable>(table.finish());
}

std::int64_t MegatronIndex::memory_bytes() const {
  return static_cast<std::int64_t>(sizeof *this + locations_.capacity() * sizeof(ChunkLocation));
}

}  // namespace sheaf::megatron
