// POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar manual,
// "Basic Tar Format". An archive consists of blocks of 512 bytes: a header, the bytes of the entry,
// the next header. Some headers describe the next entry, such as its long name or its size.

#include "io/archive/tar_walker.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kDescriptionBytesMax = std::int64_t{1} << 20;  // long names and the like

bool is_zero(std::span<const char> bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

std::string_view field(std::span<const char> block, std::size_t at, std::size_t size) {
  const std::string_view all(block.data() + at, size);
  return all.substr(0, all.find('\0'));
}

std::string name_of(std::span<const char> block) {
  const std::string_view name = field(block, 0, 100);
  const std::string_view prefix = field(block, 345, 155);
  // GNU's own headers, "ustar  ", use the bytes of the prefix for other things.
  const bool has_prefix = std::string_view(block.data() + 257, 6) == std::string_view("ustar\0", 6);
  if (!has_prefix || prefix.empty()) return std::string(name);
  return formatted("{}/{}", prefix, name);
}

}  // namespace

TarWalker::TarWalker(const ByteSource& source, std::int64_t read_size_bytes)
    : source_(source),
      is_part_(false),
      end_(source.size()),
      read_size_bytes_(std::clamp<std::int64_t>(read_size_bytes, 1, kReadBytesMax)) {}

TarWalker::TarWalker(const ByteSource& source, Part part)
    : source_(source),
      is_part_(true),
      end_(part.end_bytes),
      read_size_bytes_(kReadBytesMax),
      offset_(part.begin_bytes) {}

void TarWalker::read(std::int64_t offset_bytes, std::span<char> into) const {
  for (std::int64_t at = 0; at < std::ssize(into); at += read_size_bytes_) {
    const std::int64_t size = std::min(read_size_bytes_, std::ssize(into) - at);
    const auto piece = into.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    source_.read_at(offset_bytes + at, std::as_writable_bytes(piece));
  }
}

void TarWalker::fail(std::string_view why) const { throw TarDamage(offset_, std::string(why)); }

void TarWalker::read_block(Block& block) const {
  if (end_ - offset_ < kBlockBytes) fail("the archive ends without its end mark");
  read(offset_, block);
}

std::int64_t TarWalker::octal(std::string_view digits) const {
  constexpr std::string_view kBlanks(" \0", 2);
  const std::size_t first = digits.find_first_not_of(' ');
  if (first == std::string_view::npos) return 0;
  digits.remove_prefix(first);
  digits = digits.substr(0, digits.find_first_of(kBlanks));
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') fail("a number of its header is not octal");
    value = value * 8 + (digit - '0');  // at most 12 digits
  }
  return value;
}

// Reads octal digits, or, if the first bit is set, the bytes of the number, high byte first.
std::int64_t TarWalker::number(const Block& block, std::size_t at, std::size_t size) const {
  const std::string_view bytes(block.data() + at, size);
  const auto first = static_cast<unsigned char>(bytes.front());
  if (first < 0x80) return octal(bytes);
  if (first != 0x80) fail("a number of its header is negative or too large");
  std::int64_t value = 0;
  for (const char byte : bytes.substr(1)) {
    if (value >> 54 != 0) fail("a number of its header is too large");
    value = value * 256 + static_cast<unsigned char>(byte);
  }
  return value;
}

void TarWalker::check(const Block& block) const {
  constexpr std::size_t kChecksumAt = 148;
  constexpr std::size_t kChecksumSize = 8;
  std::int64_t sum = std::int64_t{' '} * kChecksumSize;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_checksum = i >= kChecksumAt && i < kChecksumAt + kChecksumSize;
    if (!is_checksum) sum += static_cast<unsigned char>(block[i]);
  }
  if (octal({block.data() + kChecksumAt, kChecksumSize}) == sum) return;
  fail(offset_ == 0 ? "a first block that is no header" : "a header has a wrong checksum");
}

std::string TarWalker::text(std::int64_t size) const {
  if (size > kDescriptionBytesMax) fail("a name or a description of more than a megabyte");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  read(offset_ + kBlockBytes, bytes);
  return bytes;
}

// Reads records of the form "LENGTH KEY=VALUE\n". LENGTH counts the whole record.
void TarWalker::describe(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    std::size_t digits = 0;
    while (digits < records.size() && digits < 9 && records[digits] >= '0' &&
           records[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(records[digits++] - '0');
    }
    const bool has_location = digits > 0 && length > digits + 1 && length <= records.size() &&
                              records[digits] == ' ' && records[length - 1] == '\n';
    const std::string_view record =
        has_location ? records.substr(digits + 1, length - digits - 2) : std::string_view();
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail("a pax header that makes no sense");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") next_.name = value;
    if (key == "size") next_.size = described_size(value);
    if (key.starts_with("GNU.sparse.")) fail("a sparse file, which is not supported");
    records.remove_prefix(length);
  }
}

std::int64_t TarWalker::described_size(std::string_view digits) const {
  const bool is_number = !digits.empty() && digits.size() <= 18 &&
                         std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) fail("a pax header with a size that is no number");
  std::int64_t size = 0;
  for (const char digit : digits) size = size * 10 + (digit - '0');
  return size;
}

std::optional<TarEntry> TarWalker::entry_of(const Block& block, char type, std::int64_t size) {
  if (type == 'S') fail("a sparse file, which is not supported");
  const Described described = std::exchange(next_, {});
  const bool is_file = type == '0' || type == '\0' || type == '7';
  std::string name = described.name ? *described.name : name_of(block);
  const bool is_link = type == '1' || type == '2';
  if (is_link && link_count_++ == 0) first_link_ = name;
  // Very old archives mark folders this way.
  if (!is_file || name.ends_with('/')) return std::nullopt;
  while (name.starts_with("./")) name.erase(0, 2);
  return TarEntry{
      .entry = {.name = std::move(name), .size_bytes = size, .offset_bytes = offset_ + kBlockBytes},
      .begin_bytes = described.begin_bytes.value_or(offset_)};
}

// Checks that only zeros follow, up to a multiple of some size. Any other bytes would be lost.
void TarWalker::check_end() const {
  std::vector<char> bytes(std::size_t{64} << 10);
  for (std::int64_t at = offset_; at < source_.size();) {
    const auto piece = std::span(bytes).first(
        static_cast<std::size_t>(std::min(std::ssize(bytes), source_.size() - at)));
    read(at, piece);
    if (!is_zero(piece)) {
      throw TarDamage(at, "data follow the end mark: were archives put one behind the other?");
    }
    at += std::ssize(piece);
  }
}

std::optional<TarEntry> TarWalker::next() {
  while (!has_ended_ && !is_at_end()) {
    Block block{};
    read_block(block);
    if (is_zero(block)) {
      has_ended_ = true;
      check_end();
      break;
    }
    check(block);
    const char type = block[156];
    std::int64_t size = number(block, 124, 12);
    const bool describes = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    const bool has_no_bytes = type >= '1' && type <= '6';  // links, devices, folders, pipes
    if (!describes && next_.size) size = *next_.size;
    if (has_no_bytes) size = 0;
    if (size > end_ - offset_ - kBlockBytes) fail("the archive ends inside an entry");
    if (describes && !next_.begin_bytes) next_.begin_bytes = offset_;
    if (type == 'x') describe(text(size));
    if (type == 'L') {
      const std::string name = text(size);
      next_.name = name.substr(0, name.find('\0'));
    }
    std::optional<TarEntry> entry;
    if (!describes) entry = entry_of(block, type, size);
    offset_ += kBlockBytes + (size + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    if (entry) return entry;
  }
  return std::nullopt;
}

}  // namespace sheaf::internal
