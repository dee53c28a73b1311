// POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar manual,
// "Basic Tar Format". Blocks of 512 bytes: a header, the bytes of the entry, the next header. Some
// headers describe the next entry: its long name, its size.

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "io/archive/stored_entry.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kBlockBytes = 512;
constexpr std::int64_t kDescriptionBytesMax = std::int64_t{1} << 20;  // long names and the like

using Block = std::array<char, kBlockBytes>;

/// What headers in front of an entry say of it.
struct Described {
  std::optional<std::string> name;
  std::optional<std::int64_t> size;
};

class TarReader {
 public:
  explicit TarReader(const ByteSource& source) : source_(source) {}

  [[nodiscard]] std::vector<StoredEntry> read();

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw_damaged_archive(source_, offset_, why);
  }
  void read_block(Block& block) const;
  [[nodiscard]] std::string_view field(const Block& block, std::size_t at, std::size_t size) const {
    const std::string_view all(block.data() + at, size);
    return all.substr(0, all.find('\0'));
  }
  [[nodiscard]] std::int64_t octal(std::string_view digits) const;
  [[nodiscard]] std::int64_t number(const Block& block, std::size_t at, std::size_t size) const;
  void check(const Block& block) const;
  [[nodiscard]] std::string name_of(const Block& block) const;
  [[nodiscard]] std::string text(std::int64_t size) const;
  void describe(std::string_view records);
  void add(const Block& block, char type, std::int64_t size);
  void check_end() const;

  const ByteSource& source_;
  std::int64_t offset_ = 0;  // of the header under way
  Described next_;
  std::vector<StoredEntry> entries_;
};

bool is_zero(std::span<const char> bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

void TarReader::read_block(Block& block) const {
  if (source_.size() - offset_ < kBlockBytes) fail("the archive ends without its end mark");
  source_.read_at(offset_, std::as_writable_bytes(std::span(block)));
}

std::int64_t TarReader::octal(std::string_view digits) const {
  constexpr std::string_view kBlanks(" \0", 2);
  const std::size_t first = digits.find_first_not_of(' ');
  if (first == std::string_view::npos) return 0;
  digits.remove_prefix(first);
  digits = digits.substr(0, digits.find_first_of(kBlanks));
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '7') fail("a number of its header is not octal");
    value = value * 8 + (digit - '0');  // 12 digits at the most
  }
  return value;
}

// Octal digits; or, where the first bit is set, the bytes of the number, the high ones first.
std::int64_t TarReader::number(const Block& block, std::size_t at, std::size_t size) const {
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

void TarReader::check(const Block& block) const {
  constexpr std::size_t kChecksumAt = 148;
  constexpr std::size_t kChecksumSize = 8;
  std::int64_t sum = std::int64_t{' '} * kChecksumSize;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_checksum = i >= kChecksumAt && i < kChecksumAt + kChecksumSize;
    if (!is_checksum) sum += static_cast<unsigned char>(block[i]);
  }
  if (octal({block.data() + kChecksumAt, kChecksumSize}) == sum) return;
  fail(offset_ == 0 ? "no tar archive begins here" : "a header has a wrong checksum");
}

std::string TarReader::name_of(const Block& block) const {
  const std::string_view name = field(block, 0, 100);
  const std::string_view prefix = field(block, 345, 155);
  // GNU's own headers, "ustar  ", have other things where the prefix is.
  const bool has_prefix = std::string_view(block.data() + 257, 6) == std::string_view("ustar\0", 6);
  if (!has_prefix || prefix.empty()) return std::string(name);
  return formatted("{}/{}", prefix, name);
}

std::string TarReader::text(std::int64_t size) const {
  if (size > kDescriptionBytesMax) fail("a name or a description of more than a megabyte");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  source_.read_at(offset_ + kBlockBytes, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Records of "LENGTH KEY=VALUE\n". The length counts the whole record.
void TarReader::describe(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    std::size_t digits = 0;
    while (digits < records.size() && digits < 9 && records[digits] >= '0' &&
           records[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(records[digits++] - '0');
    }
    const bool has_place = digits > 0 && length > digits + 1 && length <= records.size() &&
                           records[digits] == ' ' && records[length - 1] == '\n';
    const std::string_view record =
        has_place ? records.substr(digits + 1, length - digits - 2) : std::string_view();
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail("a pax header that makes no sense");
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1);
    if (key == "path") next_.name = value;
    if (key == "size") {
      std::int64_t size = 0;
      const bool is_number =
          !value.empty() && value.size() <= 18 &&
          std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
      if (!is_number) fail("a pax header with a size that is no number");
      for (const char digit : value) size = size * 10 + (digit - '0');
      next_.size = size;
    }
    if (key.starts_with("GNU.sparse.")) fail("a sparse file, which is not supported");
    records.remove_prefix(length);
  }
}

void TarReader::add(const Block& block, char type, std::int64_t size) {
  if (type == 'S') fail("a sparse file, which is not supported");
  const Described described = std::exchange(next_, {});
  const bool is_file = type == '0' || type == '\0' || type == '7';
  std::string name = described.name ? *described.name : name_of(block);
  if (!is_file || name.ends_with('/')) return;  // very old archives mark folders so
  while (name.starts_with("./")) name.erase(0, 2);
  entries_.push_back({.entry = {.name = std::move(name),
                                .size_bytes = size,
                                .offset_bytes = offset_ + kBlockBytes},
                      .stored_bytes = size});
}

// Zeros follow up to a multiple of some size. Anything else would be lost.
void TarReader::check_end() const {
  std::vector<char> bytes(std::size_t{64} << 10);
  for (std::int64_t at = offset_; at < source_.size();) {
    const auto piece = std::span(bytes).first(
        static_cast<std::size_t>(std::min(std::ssize(bytes), source_.size() - at)));
    source_.read_at(at, std::as_writable_bytes(piece));
    if (!is_zero(piece)) {
      throw_damaged_archive(source_, at,
                            "data follow the end mark: were archives put one behind the other?");
    }
    at += std::ssize(piece);
  }
}

std::vector<StoredEntry> TarReader::read() {
  while (true) {
    Block block{};
    read_block(block);
    if (is_zero(block)) break;
    check(block);
    const char type = block[156];
    std::int64_t size = number(block, 124, 12);
    const bool describes = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    const bool has_no_bytes = type >= '1' && type <= '6';  // links, devices, folders, pipes
    if (!describes && next_.size) size = *next_.size;
    if (has_no_bytes) size = 0;
    if (size > source_.size() - offset_ - kBlockBytes) fail("the archive ends inside an entry");
    if (type == 'x') describe(text(size));
    if (type == 'L') {
      const std::string name = text(size);
      next_.name = name.substr(0, name.find('\0'));
    }
    if (!describes) add(block, type, size);
    offset_ += kBlockBytes + (size + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }
  check_end();
  return std::move(entries_);
}

}  // namespace

std::vector<StoredEntry> tar_entries(const ByteSource& source) { return TarReader(source).read(); }

}  // namespace sheaf::internal
