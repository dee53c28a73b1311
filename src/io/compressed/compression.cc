#include "io/compressed/compression.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

struct CompressionNames {
  Compression compression;
  std::string_view extension;
  std::string_view described;  // "a gzip file"
};

constexpr CompressionNames kCompressions[] = {
    {Compression::gzip, ".gz", "a gzip file"},
    {Compression::zstd, ".zst", "a zstd file"},
    {Compression::lz4, ".lz4", "an lz4 file"},
};

/// A compression that the library does not read, and a program that decompresses it.
struct ForeignCompression {
  std::string_view magic;
  std::string_view described;
  std::string_view program;
};

constexpr ForeignCompression kForeign[] = {
    {{"\xFD"
      "7zXZ\0",
      6},
     "an xz file",
     "xzcat"},
    {"BZh91AY&SY", "a bzip2 file", "bzcat"},
};

bool ends_with(std::string_view name, std::string_view extension) noexcept {
  return name.size() > extension.size() &&
         std::ranges::equal(name.substr(name.size() - extension.size()), extension, {}, [](char c) {
           return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
         });
}

const CompressionNames* names_of(std::string_view name) noexcept {
  for (const CompressionNames& row : kCompressions) {
    if (ends_with(name, row.extension)) return &row;
  }
  return nullptr;
}

// Returns whether a skippable frame begins here. Both zstd and lz4 files may begin with such
// frames.
bool is_skippable(std::string_view head) noexcept {
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50 &&
         head.substr(1, 3) == "\x2A\x4D\x18";
}

bool begins_as(Compression compression, std::string_view head) noexcept {
  switch (compression) {
    case Compression::gzip:
      return head.starts_with("\x1F\x8B\x08");
    case Compression::zstd:
      return head.starts_with("\x28\xB5\x2F\xFD") || is_skippable(head);
    case Compression::lz4:
      return head.starts_with("\x04\x22\x4D\x18") || head.starts_with("\x02\x21\x4C\x18") ||
             is_skippable(head);
    case Compression::none:
      return false;
  }
  return false;
}

}  // namespace

Compression compression_of_name(std::string_view name) noexcept {
  const CompressionNames* row = names_of(name);
  return row == nullptr ? Compression::none : row->compression;
}

std::string_view name_without_compression(std::string_view name) noexcept {
  const CompressionNames* row = names_of(name);
  return row == nullptr ? name : name.substr(0, name.size() - row->extension.size());
}

}  // namespace sheaf

namespace sheaf::internal {
namespace {

constexpr std::int64_t kMagicSize = 4;      // for the formats that the library reads
constexpr std::int64_t kSkippableSize = 8;  // magic number and size of a frame
constexpr std::int64_t kForeignSize = 10;

std::string head_of(const ByteSource& source, std::int64_t offset, std::int64_t size) {
  const std::int64_t there = std::clamp<std::int64_t>(source.size() - offset, 0, size);
  std::string head(static_cast<std::size_t>(there), '\0');
  source.read_at(offset, std::as_writable_bytes(std::span(head)));
  return head;
}

// Returns the first bytes behind skippable frames, since these do not distinguish zstd from lz4.
std::string telling_head_of(const ByteSource& source) {
  constexpr int kSkippedMax = 64;
  std::int64_t offset = 0;
  std::string head = head_of(source, 0, kSkippableSize);
  for (int i = 0; i < kSkippedMax && is_skippable(head) && head.size() >= 8; ++i) {
    std::int64_t size = 0;
    for (std::size_t byte = 8; byte-- > 4;) {
      size = size << 8 | static_cast<unsigned char>(head[byte]);
    }
    offset += 8 + size;
    if (offset >= source.size()) break;
    head = head_of(source, offset, kSkippableSize);
  }
  return head;
}

}  // namespace

Compression recognized_compression(const ByteSource& source, bool by_content) {
  const std::string head = by_content ? telling_head_of(source) : head_of(source, 0, kMagicSize);
  const CompressionNames* const named = by_content ? nullptr : names_of(source.name());
  if (named != nullptr) {
    if (begins_as(named->compression, head)) return named->compression;
    throw IoError(formatted("{}: not {}, as its name says: {}", source.name(), named->described,
                            head.empty() ? "it is empty" : "it begins with other bytes"));
  }
  for (const CompressionNames& row : kCompressions) {
    if (is_skippable(head) || !begins_as(row.compression, head)) continue;
    if (by_content) return row.compression;
    throw IoError(formatted("{}: {}, which its name does not say: name it {}{}", source.name(),
                            row.described, source.name(), row.extension));
  }
  for (const ForeignCompression& row : kForeign) {
    // Reads again only if the first bytes match. So plain files are read only once.
    const bool may_be = std::ssize(head) >= kMagicSize &&
                        row.magic.starts_with(std::string_view(head).substr(0, kMagicSize));
    if (!may_be) continue;
    if (head_of(source, 0, kForeignSize).substr(0, row.magic.size()) != row.magic) continue;
    throw IoError(formatted("{}: {}, which sheaf does not decompress: {} FILE | sheaf check -",
                            source.name(), row.described, row.program));
  }
  return Compression::none;
}

}  // namespace sheaf::internal
