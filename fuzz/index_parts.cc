#include "index_parts.h"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sheaf::fuzz {
namespace {

constexpr std::string_view kMagic = "\x89SHEAFI\n";
constexpr std::string_view kEndMagic = "\x89SHEAFE\n";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kWordSize = 8;
constexpr std::size_t kHeadSize = 16;
constexpr std::size_t kTailSize = 24;
constexpr std::size_t kEntrySize = 72;
constexpr std::size_t kBlockSizeAt = 56;  // within an entry
constexpr std::size_t kBlockChecksumAt = 64;

/// Pre: the word lies within the bytes.
std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, kWordSize);
  return word;
}

void set_word(std::string& bytes, std::size_t at, std::uint64_t word) {
  std::memcpy(bytes.data() + at, &word, kWordSize);
}

void append_word(std::string& bytes, std::uint64_t word) {
  bytes.append(reinterpret_cast<const char*>(&word), kWordSize);
}

std::uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// Takes words and texts from the front as long as there are bytes.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t word() {
    if (bytes_.size() < kWordSize) return 0;
    const std::uint64_t word = word_at(bytes_, 0);
    bytes_.remove_prefix(kWordSize);
    return word;
  }

  std::string_view text() {
    const std::uint64_t wanted = word();
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, bytes_.size()));
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// Returns the size of the footer, at most the room between head and tail.
///
/// Pre: the bytes have room for head and tail.
std::size_t footer_size_of(std::string_view bytes) {
  const std::size_t room = bytes.size() - kHeadSize - kTailSize;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(word_at(bytes, bytes.size() - kTailSize), room));
}

}  // namespace

IndexParts take_apart(std::string_view bytes) {
  IndexParts parts;
  if (bytes.size() < kHeadSize + kTailSize) return parts;
  const std::size_t footer_at = bytes.size() - kTailSize - footer_size_of(bytes);
  std::string_view blocks = bytes.substr(kHeadSize, footer_at - kHeadSize);
  Taker footer(bytes.substr(footer_at, bytes.size() - kTailSize - footer_at));
  parts.options = footer.text();
  parts.data_size = footer.word();
  parts.data_hash = footer.word();
  parts.modified = footer.word();
  parts.notes = footer.text();
  const std::uint64_t count = footer.word();
  while (parts.chunks.size() < count && footer.left() >= kEntrySize) {
    IndexParts::Chunk& chunk = parts.chunks.emplace_back();
    for (std::uint64_t& word : chunk.words) word = footer.word();
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(footer.word(), blocks.size()));
    static_cast<void>(footer.word());
    chunk.block = blocks.substr(0, size);
    blocks.remove_prefix(size);
  }
  return parts;
}

std::string put_together(const IndexParts& parts, Checksums checksums) {
  std::string head(kMagic);
  append_word(head, kVersion);
  std::string footer;
  append_word(footer, parts.options.size());
  footer += parts.options;
  append_word(footer, parts.data_size);
  append_word(footer, parts.data_hash);
  append_word(footer, parts.modified);
  append_word(footer, parts.notes.size());
  footer += parts.notes;
  append_word(footer, parts.chunks.size());
  std::string bytes = head;
  for (const IndexParts::Chunk& chunk : parts.chunks) {
    for (const std::uint64_t word : chunk.words) append_word(footer, word);
    append_word(footer, chunk.block.size());
    append_word(footer, 0);
    bytes += chunk.block;
  }
  bytes += footer;
  append_word(bytes, footer.size());
  append_word(bytes, 0);
  bytes += kEndMagic;
  if (checksums == Checksums::right) mend_checksums(bytes);
  return bytes;
}

void mend_checksums(std::string& bytes) {
  if (bytes.size() < kHeadSize + kTailSize) return;
  const std::size_t tail_at = bytes.size() - kTailSize;
  const std::size_t footer_at = tail_at - footer_size_of(bytes);
  const std::string_view all = bytes;
  Taker footer(all.substr(footer_at, tail_at - footer_at));
  static_cast<void>(footer.text());
  for (int i = 0; i < 3; ++i) static_cast<void>(footer.word());
  static_cast<void>(footer.text());
  static_cast<void>(footer.word());
  std::size_t block_at = kHeadSize;
  for (std::size_t at = tail_at - footer.left(); at + kEntrySize <= tail_at; at += kEntrySize) {
    const std::uint64_t size = word_at(bytes, at + kBlockSizeAt);
    if (size > footer_at - block_at) break;
    const std::string_view block = all.substr(block_at, static_cast<std::size_t>(size));
    set_word(bytes, at + kBlockChecksumAt, checksum_of(block));
    block_at += block.size();
  }
  const std::string covered =
      bytes.substr(0, kHeadSize) + bytes.substr(footer_at, tail_at + kWordSize - footer_at);
  set_word(bytes, tail_at + kWordSize, checksum_of(covered));
}

}  // namespace sheaf::fuzz
