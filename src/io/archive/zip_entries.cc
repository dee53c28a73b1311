// PKWARE's APPNOTE.TXT 6.3.10. The directory at the end of the file is authoritative. The headers
// before the entries only tell where the bytes of the entries begin.

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "io/archive/stored_entry.h"

namespace sheaf::internal {
namespace {

constexpr std::uint32_t kEndMark = 0x06054B50;
constexpr std::uint32_t kEnd64Mark = 0x06064B50;
constexpr std::uint32_t kLocatorMark = 0x07064B50;
constexpr std::uint32_t kDirectoryMark = 0x02014B50;
constexpr std::uint32_t kHeaderMark = 0x04034B50;
constexpr std::int64_t kEndBytes = 22;
constexpr std::int64_t kEnd64Bytes = 56;
constexpr std::int64_t kLocatorBytes = 20;
constexpr std::int64_t kDirectoryEntryBytes = 46;
constexpr std::int64_t kHeaderBytes = 30;
constexpr std::int64_t kCommentBytesMax = 65'535;
constexpr std::uint64_t kIn64 = 0xFFFF'FFFF;  // the number is in a field of 8 bytes elsewhere

/// Bytes of the file. The numbers in them are little-endian.
class ZipBytes {
 public:
  ZipBytes(const ByteSource& source, std::int64_t offset, std::int64_t size)
      : bytes_(static_cast<std::size_t>(size), '\0') {
    source.read_at(offset, std::as_writable_bytes(std::span(bytes_)));
  }

  [[nodiscard]] std::uint64_t number(std::int64_t at, int size) const {
    std::uint64_t value = 0;
    for (std::int64_t i = size; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(at + i)]);
    }
    return value;
  }
  [[nodiscard]] std::string_view text(std::int64_t at, std::int64_t size) const {
    return std::string_view(bytes_).substr(static_cast<std::size_t>(at),
                                           static_cast<std::size_t>(size));
  }
  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(bytes_); }

 private:
  std::string bytes_;
};

/// The location of the directory.
struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
  std::int64_t end_max = 0;  // upper bound of its end
};

// The end record is the last record whose comment ends where the file ends.
std::int64_t find_end(const ByteSource& source) {
  const std::int64_t size = std::min(source.size(), kEndBytes + kCommentBytesMax);
  const ZipBytes tail(source, source.size() - size, size);
  for (std::int64_t at = size - kEndBytes; at >= 0; --at) {
    if (tail.number(at, 4) != kEndMark) continue;
    const auto comment = static_cast<std::int64_t>(tail.number(at + 20, 2));
    if (at + kEndBytes + comment == size) return source.size() - size + at;
  }
  throw_damaged_archive(source, source.size(), "no zip archive ends here: cut short?");
}

Directory find_directory64(const ByteSource& source, std::int64_t locator_at) {
  const ZipBytes locator(source, locator_at, kLocatorBytes);
  const std::uint64_t end_at = locator.number(8, 8);
  if (end_at > static_cast<std::uint64_t>(std::max<std::int64_t>(0, locator_at - kEnd64Bytes))) {
    throw_damaged_archive(source, locator_at, "the end record of zip64 cannot lie there");
  }
  const auto at = static_cast<std::int64_t>(end_at);
  const ZipBytes end(source, at, kEnd64Bytes);
  if (end.number(0, 4) != kEnd64Mark) {
    throw_damaged_archive(source, at, "expected the end record of zip64");
  }
  if (end.number(16, 4) != 0 || end.number(20, 4) != 0) {
    throw_damaged_archive(source, at, "an archive in several files, which is not supported");
  }
  return {.offset = end.number(48, 8),
          .size = end.number(40, 8),
          .count = end.number(32, 8),
          .end_max = at};
}

Directory find_directory(const ByteSource& source) {
  const std::int64_t end_at = find_end(source);
  const ZipBytes end(source, end_at, kEndBytes);
  Directory directory{.offset = end.number(16, 4),
                      .size = end.number(12, 4),
                      .count = end.number(10, 2),
                      .end_max = end_at};
  const std::int64_t locator_at = end_at - kLocatorBytes;
  if (locator_at >= 0 && ZipBytes(source, locator_at, 4).number(0, 4) == kLocatorMark) {
    directory = find_directory64(source, locator_at);
  } else if (end.number(4, 2) != 0 || end.number(6, 2) != 0) {
    throw_damaged_archive(source, end_at, "an archive in several files, which is not supported");
  }
  const auto end_max = static_cast<std::uint64_t>(directory.end_max);
  if (directory.offset > end_max || directory.size != end_max - directory.offset) {
    throw_damaged_archive(source, end_at, "the directory cannot lie there");
  }
  return directory;
}

/// An entry of the directory.
class DirectoryEntry {
 public:
  DirectoryEntry(const ByteSource& source, std::int64_t offset, std::int64_t end)
      : source_(source), offset_(offset), bytes_(source, offset, fixed_size(end)) {
    if (bytes_.number(0, 4) != kDirectoryMark) fail("expected an entry of the directory");
    const auto name_size = static_cast<std::int64_t>(bytes_.number(28, 2));
    const auto extra_size = static_cast<std::int64_t>(bytes_.number(30, 2));
    size_ = kDirectoryEntryBytes + name_size + extra_size +
            static_cast<std::int64_t>(bytes_.number(32, 2));
    if (size_ > end - offset) fail("an entry of the directory ends behind it");
    const ZipBytes rest(source, offset + kDirectoryEntryBytes, name_size + extra_size);
    entry_.entry.name = rest.text(0, name_size);
    while (entry_.entry.name.starts_with("./")) entry_.entry.name.erase(0, 2);
    entry_.is_encrypted = (bytes_.number(8, 2) & 1U) != 0;
    entry_.method = static_cast<int>(bytes_.number(10, 2));
    entry_.checksum = static_cast<std::uint32_t>(bytes_.number(16, 4));
    take_numbers(rest, name_size);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Returns whether the entry is a symbolic link, whose bytes are the path of another file. Only
  /// writers of Unix mark links, by the type of the file in the upper half of the attributes.
  [[nodiscard]] bool is_link() const {
    constexpr std::uint64_t kUnix = 3;
    constexpr std::uint64_t kTypeMask = 0170000;
    constexpr std::uint64_t kLink = 0120000;
    return bytes_.number(5, 1) == kUnix && (bytes_.number(40, 2) & kTypeMask) == kLink;
  }

  [[nodiscard]] StoredEntry take() { return std::move(entry_); }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw_damaged_archive(source_, offset_, why);
  }
  [[nodiscard]] std::int64_t fixed_size(std::int64_t end) const {
    if (end - offset_ < kDirectoryEntryBytes) fail("an entry of the directory ends behind it");
    return kDirectoryEntryBytes;
  }
  void take_numbers(const ZipBytes& rest, std::int64_t extra_at);

  const ByteSource& source_;
  std::int64_t offset_;
  ZipBytes bytes_;
  std::int64_t size_ = 0;
  StoredEntry entry_;
};

// Takes the numbers of 4 bytes. The numbers that do not fit stand one after the other in the extra
// field with id 1.
void DirectoryEntry::take_numbers(const ZipBytes& rest, std::int64_t extra_at) {
  std::uint64_t numbers[] = {bytes_.number(24, 4), bytes_.number(20, 4), bytes_.number(42, 4)};
  for (std::int64_t at = extra_at; rest.size() - at >= 4;) {
    const std::uint64_t id = rest.number(at, 2);
    const auto field_end = at + 4 + static_cast<std::int64_t>(rest.number(at + 2, 2));
    at += 4;
    for (std::uint64_t& number : numbers) {
      if (id != 1 || number != kIn64) continue;
      if (at + 8 > std::min(field_end, rest.size())) fail("a number of zip64 is missing");
      number = rest.number(at, 8);
      at += 8;
    }
    at = field_end;
  }
  for (const std::uint64_t number : numbers) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail("a number is too large");
    }
  }
  entry_.entry.size_bytes = static_cast<std::int64_t>(numbers[0]);
  entry_.stored_bytes = static_cast<std::int64_t>(numbers[1]);
  entry_.entry.offset_bytes = static_cast<std::int64_t>(numbers[2]);
}

}  // namespace

std::vector<StoredEntry> zip_entries(const ByteSource& source) {
  const Directory directory = find_directory(source);
  const auto end = static_cast<std::int64_t>(directory.offset + directory.size);
  std::vector<StoredEntry> entries;
  std::uint64_t count = 0;
  for (auto at = static_cast<std::int64_t>(directory.offset); at < end; ++count) {
    DirectoryEntry entry(source, at, end);
    at += entry.size();
    if (entry.is_link()) continue;
    StoredEntry stored = entry.take();
    if (!stored.entry.name.ends_with('/')) entries.push_back(std::move(stored));
  }
  if (count != directory.count) {
    throw_damaged_archive(
        source, end, formatted("the directory has {} entries, not {}", count, directory.count));
  }
  return entries;
}

std::int64_t zip_data_offset(const ByteSource& source, const StoredEntry& entry) {
  const std::int64_t at = entry.entry.offset_bytes;
  if (at > source.size() - kHeaderBytes) {
    throw_damaged_archive(source, source.size(), "an entry begins behind the archive");
  }
  const ZipBytes header(source, at, kHeaderBytes);
  if (header.number(0, 4) != kHeaderMark) {
    throw_damaged_archive(source, at, "expected the header of an entry");
  }
  const auto begin = at + kHeaderBytes + static_cast<std::int64_t>(header.number(26, 2)) +
                     static_cast<std::int64_t>(header.number(28, 2));
  if (begin > source.size() || entry.stored_bytes > source.size() - begin) {
    throw_damaged_archive(source, at, "an entry ends behind the archive");
  }
  return begin;
}

}  // namespace sheaf::internal
